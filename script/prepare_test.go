package script

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) { // EXEC-1
	for path, want := range map[string]Language{"a.exec.ts": TypeScript, "/x/b.exec.js": JavaScript, "a.ts": "", "exec.ts": "", "a.exec.tsx": ""} {
		l, ok := LanguageOf(path)
		if l != want || ok != (want != "") {
			t.Errorf("LanguageOf(%q) = %q, %v", path, l, ok)
		}
	}
}

// EXEC-12
func TestExec12Prepare(t *testing.T) {
	tests := []struct {
		name, text, want string
		warnings         int
	}{
		{"plain", "return 1", "return 1", 0},
		{"fence", "```ts\nreturn 1\n```", "     \nreturn 1\n   ", 1},
		{"fence with tildes and CRLF", "~~~\r\nreturn 1\r\n~~~\r\n", "   \r\nreturn 1\r\n   \r\n", 1},
		{"open fence alone stays", "```ts\nreturn 1", "```ts\nreturn 1", 0},
		{"fence inside stays", "const a = `\n```\nx\n```\n`;", "const a = `\n```\nx\n```\n`;", 0},
		{"parameter", `<parameter name="code">return 1</parameter>`, strings.Repeat(" ", 23) + "return 1" + strings.Repeat(" ", 12), 1},
		{"stray end", "return 1\n</code>", "return 1\n       ", 1},
		{"both", "<code>\n```js\nreturn 1\n```\n</code>", "      \n     \nreturn 1\n   \n       ", 2},
		{"a type assertion stays", "<code>x", "<code>x", 0},
		{"a generic arrow stays", "<T>(x: T) => x", "<T>(x: T) => x", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Prepare(tt.text)
			if p.Text != tt.want || len(p.Warnings) != tt.warnings || len(p.Errors) != 0 {
				t.Errorf("got %q, warnings %q, errors %v", p.Text, p.Warnings, p.Errors)
			}
			if strings.Count(p.Text, "\n") != strings.Count(tt.text, "\n") {
				t.Error("lines were lost")
			}
		})
	}
	for _, text := range []string{"", " \n\t", "\ufeff", "```\n\n```"} {
		p := Prepare(text)
		if len(p.Errors) != 1 || p.Errors[0].Code != CodeBlank {
			t.Errorf("Prepare(%q) = %+v", text, p)
		}
	}
}

// EXEC-15
func TestExec15Options(t *testing.T) {
	p := Prepare(`// @options: {"timeout_ms": 5000, "max_tool_calls": 3, "max_output_tokens": 9}` + "\nreturn 1")
	if len(p.Errors) > 0 || *p.Options.TimeoutMs != 5000 || *p.Options.MaxToolCalls != 3 || *p.Options.MaxOutputTokens != 9 {
		t.Fatalf("%+v", p)
	}
	p = Prepare("```ts\n// @options: {\"timeout_ms\": 7}\nreturn 1\n```")
	if len(p.Errors) > 0 || p.Options.TimeoutMs == nil {
		t.Fatalf("behind a fence: %+v", p)
	}
	tests := []struct {
		name, text, code string
		words            []string
		at               Range
	}{
		{"misplaced", "return 1\n  // @options: {}", CodeOptionsMisplaced, []string{"line 2"}, Range{Position{1, 0}, Position{1, 17}}},
		{"unknown field", `// @options: {"timeout": 1}`, CodeOptionsField, []string{`"timeout"`, "line 1"}, Range{Position{0, 14}, Position{0, 23}}},
		{"wrong type", `// @options: {"timeout_ms": "1"}`, CodeOptionsType, []string{"timeout_ms", `"1"`}, Range{Position{0, 28}, Position{0, 31}}},
		{"zero", `// @options: {"max_tool_calls": 0}`, CodeOptionsType, []string{"max_tool_calls"}, Range{Position{0, 32}, Position{0, 33}}},
		{"fraction", `// @options: {"max_tool_calls": 1.5}`, CodeOptionsType, []string{"1.5"}, Range{Position{0, 32}, Position{0, 35}}},
		{"no object", `// @options: 5`, CodeOptionsInvalid, []string{"line 1"}, Range{Position{0, 0}, Position{0, 14}}},
		{"garbage", `// @options: {"timeout_ms": 1`, CodeOptionsInvalid, nil, Range{Position{0, 0}, Position{0, 29}}},
		{"tail", `// @options: {} x`, CodeOptionsInvalid, nil, Range{Position{0, 0}, Position{0, 17}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Prepare(tt.text)
			if len(p.Errors) != 1 || p.Errors[0].Code != tt.code || p.Errors[0].Range != tt.at {
				t.Fatalf("%+v", p.Errors)
			}
			for _, w := range tt.words {
				if !strings.Contains(p.Errors[0].Message, w) {
					t.Errorf("%q does not name %q", p.Errors[0].Message, w)
				}
			}
		})
	}
	for _, text := range []string{
		"const s = `\n// @options: {}\n`", "/*\n// @options: {}\n*/ return 1", "return 1 // @options: {}",
		"const s = `${ `\n// @options: {}` }`",
	} {
		if p := Prepare(text); len(p.Errors) != 0 {
			t.Errorf("Prepare(%q): %+v", text, p.Errors)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	for _, s := range []string{"```ts\nx\n```", "// @options: {\"timeout_ms\": 1}", "<code>x</code>", "`${`", "/*", "a\r\nb\u2028c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Prepare(text)
		for _, line := range []string{"\n", "\r"} {
			if strings.Count(p.Text, line) != strings.Count(text, line) {
				t.Fatal("lines were lost")
			}
		}
		if slices.ContainsFunc(p.Errors, func(f Finding) bool { return f.Message == "" || f.Code == "" }) {
			t.Fatal("an error without words")
		}
	})
}
