package exec

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"codemode-ls/config"
	"codemode-ls/sandbox"
	"codemode-ls/script"
)

// wallTime of a machine that may be busy.
var wallTime = regexp.MustCompile(`(?m)^Wall time \d+\.\d seconds$`)

// RES-1…4: the whole text, for each kind of end.
func TestResText(t *testing.T) {
	position := &script.Position{Line: 2, Character: 6}
	for _, c := range []struct {
		name    string
		outcome sandbox.Outcome
		logs    []string
		calls   []string
		want    string
	}{
		{"a string as it is", completed(`"two\nlines"`), nil, nil, `Script completed
Wall time 0.0 seconds
Output:
two
lines`},
		{"anything else as JSON", completed(`{"a":[1,null]}`), []string{"first", "second\nline"}, nil, `Script completed
Wall time 0.0 seconds
Output:
first
second
line
{"a":[1,null]}`},
		{"null", completed(`null`), nil, nil, `Script completed
Wall time 0.0 seconds
Output:
null`},
		{"nothing", completed(``), nil, nil, `Script completed
Wall time 0.0 seconds
Output:
(the script returned nothing and printed nothing)`}, // EXEC-9
		{"an empty string", completed(`""`), nil, nil, `Script completed
Wall time 0.0 seconds
Output:
(the script returned an empty string and printed nothing)`},
		{"text items come before the value", completed(`"value"`), []string{"log"}, []string{`$codemode.text {"value":"one"}`, `$codemode.text {"value":{"n":2}}`}, `Script completed
Wall time 0.0 seconds
Output:
log
one
{"n":2}
value`},
		{"thrown", sandbox.Outcome{Status: sandbox.Thrown, Error: &sandbox.ScriptError{
			Name: "TypeError", Message: "boom", Stack: "    at f (script.ts:3:7)\n    at script.ts:9:1", At: position, Call: -1,
		}}, []string{"before"}, []string{"mcp__a__plain {}", "mcp__a__plain {}", "mcp__b__read {}"}, `Script failed
Wall time 0.0 seconds
Output:
before
Script error:
TypeError: boom
    at f (script.ts:3:7)
    at script.ts:9:1
Calls already made (not undone):
- mcp__a__plain: completed (2 times)
- mcp__b__read: completed`},
		{"a syntax error", sandbox.Outcome{Status: sandbox.Invalid, Error: &sandbox.ScriptError{
			Name: "SyntaxError", Message: "unexpected }\n  }", At: position, Call: -1,
		}}, nil, nil, `Script failed
Wall time 0.0 seconds
Script error:
SyntaxError: unexpected }
  }
    at line 3, column 7`},
		{"time", sandbox.Outcome{Status: sandbox.TimedOut, Error: &sandbox.ScriptError{Message: "x", Call: -1}}, []string{"a"}, nil, `Script timed out
Wall time 0.0 seconds
Output:
a
Script error:
TimeoutError: the script exceeded its time budget and was ended; calls that had already finished stay in effect`},
		{"compute", sandbox.Outcome{Status: sandbox.Overspent}, nil, nil, `Script exceeded its budget
Wall time 0.0 seconds
Script error:
BudgetError: the script exceeded its budget of active compute and was ended; calls that had already finished stay in effect`},
		{"memory", sandbox.Outcome{Status: sandbox.Memory}, nil, nil, `Script exceeded its budget
Wall time 0.0 seconds
Script error:
BudgetError: the script exceeded its memory and was ended; calls that had already finished stay in effect`},
		{"stalled", sandbox.Outcome{Status: sandbox.Stalled, Error: &sandbox.ScriptError{Name: "Error", Message: "waits for ever", Call: -1}}, nil, nil, `Script failed
Wall time 0.0 seconds
Script error:
Error: waits for ever`},
		{"crashed", sandbox.Outcome{Status: sandbox.Crashed}, nil, nil, `Script failed
Wall time 0.0 seconds
Script error:
SandboxError: the sandbox process ended unexpectedly; calls that had already finished stay in effect, and the script can be run again`},
		{"cancelled", sandbox.Outcome{Status: sandbox.Cancelled}, nil, nil, `Script cancelled
Wall time 0.0 seconds
Script error:
Cancelled: the run was cancelled; calls that had already finished stay in effect`},
		{"warnings", sandbox.Outcome{Status: sandbox.Completed, LogsCut: 12, Warnings: []sandbox.Warning{
			{Message: "NaN became null", Path: "$.a"}, {Message: "a rejection was not handled", At: position},
		}}, []string{"a"}, nil, `Script completed
Wall time 0.0 seconds
Output:
a
[… 12 characters of console output left out …]
Warnings:
- NaN became null ($.a)
- a rejection was not handled (line 3)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := setup(t, func(s *fakeScript) sandbox.Outcome {
				for _, l := range c.logs {
					s.host.Log("log", l)
				}
				for _, call := range c.calls {
					name, arguments, _ := strings.Cut(call, " ")
					s.call(name, arguments)
				}
				return c.outcome
			})
			r := b.run(t, Request{})
			if got := wallTime.ReplaceAllString(r.Text, "Wall time 0.0 seconds"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", r.Text, c.want)
			}
			if len(r.Logs) != len(c.logs) {
				t.Errorf("logs: %v", r.Logs)
			}
		})
	}
}

// RES-2: the text is limited, not the script; the whole is in an artifact.
func TestRes2Truncation(t *testing.T) {
	var long strings.Builder
	for i := range 500 {
		fmt.Fprintf(&long, "line é %d\n", i)
	}
	f := fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		s.host.Log("log", long.String())
		return completed(`"the end"`)
	})
	b := setup(t, f)
	r := b.run(t, Request{MaxOutputTokens: 50})
	if r.Truncated == nil || r.Truncated.Artifact == "" {
		t.Fatalf("%+v\n%s", r.Truncated, r.Text)
	}
	whole, err := os.ReadFile(r.Truncated.Artifact)
	if err != nil || !strings.Contains(string(whole), long.String()+"\nthe end") {
		t.Errorf("artifact: %v %d", err, len(whole))
	}
	if info, err := os.Stat(r.Truncated.Artifact); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v", info.Mode())
	}
	mark := regexp.MustCompile(`(?s)^Script completed\nWall time [0-9.]+ seconds\n(.*)\n\[… (\d+) tokens left out …\]\n(.*)\n\[the whole text is in .*\]$`).FindStringSubmatch(r.Text)
	if mark == nil {
		t.Fatalf("%s", r.Text)
	}
	if n := len([]rune(mark[1] + mark[3])); n != 200 || !strings.HasPrefix(mark[1], "Output:\nline") || !strings.HasSuffix(mark[3], "the end") {
		t.Errorf("%d characters kept of\n%s", n, r.Text)
	}
	if r.Truncated.TotalChars != len([]rune(string(whole))) {
		t.Errorf("%d of %d", r.Truncated.TotalChars, len(whole))
	}
	if string(r.Value) != `"the end"` {
		t.Errorf("value: %s", r.Value)
	}
	// RES-4: the same run gives the same text.
	if again := b.run(t, Request{MaxOutputTokens: 50}); again.Text != r.Text {
		t.Errorf("another text:\n%s", again.Text)
	}
	// A result never fails because an artifact cannot be written.
	b.ArtifactDir = "/dev/null/x"
	if r := b.run(t, Request{MaxOutputTokens: 50}); r.Status != Completed || r.Truncated.Artifact != "" {
		t.Errorf("%+v", r)
	}
}

// BUD-9: a value beyond its cap is cut, with the total named.
func TestBud9LongValue(t *testing.T) {
	value := `"` + strings.Repeat("v", 1000) + `"`
	b := setup(t, func(s *fakeScript) sandbox.Outcome { return completed(value) })
	limits := config.DefaultLimits()
	limits.MaxResultChars = 100
	b.Limits = func() config.Limits { return limits }
	r := b.run(t, Request{})
	contain(t, r.Text, "\n[… 900 of 1000 characters of the value left out …]\n")
	if !r.HasValue || r.Value != nil || r.Truncated == nil {
		t.Errorf("%+v", r)
	}
	whole, _ := os.ReadFile(r.Truncated.Artifact)
	contain(t, string(whole), strings.Repeat("v", 1000))
	// The data says what is missing, and where it is.
	if r.ValueOmitted == nil || r.ValueOmitted.Bytes != len(value) {
		t.Fatalf("%+v", r.ValueOmitted)
	}
	if alone, _ := os.ReadFile(r.ValueOmitted.Artifact); string(alone) != strings.Repeat("v", 1000) {
		t.Errorf("artifact of the value: %.50s…", alone)
	}
	kept, _, _ := b.Find(r.RunID)
	if got, ok := b.Value(r.RunID); !ok || string(got) != value || kept.ValueOmitted == nil || kept.Value != nil {
		t.Errorf("kept: %.50s…, %+v", got, kept)
	}
	if whole := b.run(t, Request{WholeValue: true}); string(whole.Value) != value || whole.ValueOmitted != nil {
		t.Errorf("whole: %+v", whole.ValueOmitted)
	} else if got, ok := b.Value(whole.RunID); !ok || string(got) != value {
		t.Errorf("kept of a whole one: %.50s…", got)
	}
	if _, ok := b.Value("none"); ok {
		t.Error("a run that is not kept has a value")
	}
}

// RES-4: calls that finish in any order give the same text.
func TestRes4Deterministic(t *testing.T) {
	texts := map[string]bool{}
	for range 20 {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			var calls []*fakeCall
			for i := range 20 {
				calls = append(calls, s.start([]string{"mcp__a__read", "mcp__b__read", "$codemode.text"}[i%3], `{"value":"`+fmt.Sprint(i)+`"}`))
			}
			for _, c := range calls {
				c.await()
			}
			return sandbox.Outcome{Status: sandbox.Thrown, Error: &sandbox.ScriptError{Name: "Error", Message: "x", Call: -1}}
		})
		r := b.run(t, Request{})
		texts[regexp.MustCompile(`Wall time.*`).ReplaceAllString(r.Text, "")] = true
	}
	if len(texts) != 1 {
		t.Errorf("%d different texts: %v", len(texts), texts)
	}
}

func TestHeadAndTail(t *testing.T) {
	mark := func(n int) string { return fmt.Sprintf("<%d>", n) }
	for _, c := range []struct {
		s    string
		max  int
		want string
	}{{"abcdef", 4, "ab<2>ef"}, {"abcdef", 3, "ab<3>f"}, {"äöüß", 2, "ä<2>ß"}, {"abc", 0, "<3>"}, {"\xff\xfeab", 2, "\xff<2>b"}} {
		if got := headAndTail(c.s, c.max, mark); got != c.want {
			t.Errorf("%q %d: %q, want %q", c.s, c.max, got, c.want)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		" a \n\t b\u2028c ": "a b c", "\x1b[31mred\x00": "red\ufffd", "a\u202eb": "a\ufffdb", "": "", "a\u00a0b": "a b",
	} {
		if got := fold(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := fold(strings.Repeat("ä", 600)); len([]rune(got)) != maxError+1 {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

// The text of a check names what is wrong; hints are for the editor.
func TestDiagnosticsInText(t *testing.T) {
	r := &Result{Status: CodeError, Error: &Error{Name: "TypeError", Message: "no"}, Diagnostics: []Diagnostic{
		{Severity: 4, Message: "a hint"}, {Severity: 1, Message: "an error"}, {Severity: 2, Message: "a warning"},
	}}
	var b strings.Builder
	(&text{result: r}).diagnostics(&b)
	if got := b.String(); got != "\nThe type check says:\n1:1 an error\n1:1 a warning" {
		t.Errorf("%q", got)
	}
}
