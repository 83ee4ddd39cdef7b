package sandbox

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// languageLine is a line of a block in docs/language.md: code, and what stands
// behind its last "//".
type languageLine struct{ code, words string }

// readLanguage gives the lines of the blocks under the two headings.
func readLanguage(t *testing.T) (runs, fails []languageLine) {
	t.Helper()
	text, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	inBlock, missing := false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = !inBlock
		case strings.HasPrefix(line, "## "):
			missing = line == "## What does not run"
		case inBlock:
			i := strings.LastIndex(line, " // ")
			if i < 0 {
				t.Fatalf("no words behind %s", line)
			}
			l := languageLine{line[:i], line[i+4:]}
			if missing {
				fails = append(fails, l)
			} else {
				runs = append(runs, l)
			}
		}
	}
	return runs, fails
}

// EXEC-17: what docs/language.md promises runs, each line of it in a sandbox, and
// what it says does not run fails in its words.
func TestExec17Language(t *testing.T) {
	runs, fails := readLanguage(t)
	for _, l := range runs {
		o, _ := runScript(t, "return (\n"+l.code+"\n)")
		if o.Status != Completed || string(o.Value) != "true" {
			t.Errorf("%s\n%s\n got: %s %s %+v", l.words, l.code, o.Status, o.Value, o.Error)
		}
	}
	for _, l := range fails {
		o, _ := runScript(t, l.code)
		if o.Error == nil || !strings.Contains(o.Error.Message, l.words) {
			t.Errorf("%s\n got: %s %s %+v\nwant: %s", l.code, o.Status, o.Value, o.Error, l.words)
		}
	}
}

// EXEC-17: the list of features may only grow; it and the page have the same ones.
func TestExec17List(t *testing.T) {
	text, err := os.ReadFile("testdata/language.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Split(strings.TrimSpace(string(text)), "\n")
	runs, _ := readLanguage(t)
	var said []string
	for _, l := range runs {
		said = append(said, l.words)
	}
	for _, f := range listed {
		if !slices.Contains(said, f) {
			t.Errorf("docs/language.md has lost %q", f)
		}
	}
	for _, f := range said {
		if !slices.Contains(listed, f) {
			t.Errorf("testdata/language.txt lacks %q", f)
		}
	}
	if len(listed) < 75 {
		t.Errorf("%d features", len(listed))
	}
}

// ISO-1: the global names are the language's, the pure functions that are
// documented, tools and console. Whatever is new must be put here knowingly.
func TestIso1Globals(t *testing.T) {
	o, _ := runScript(t, "return Object.getOwnPropertyNames(globalThis).sort().join(' ')")
	want := strings.Fields(`AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError
		FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number
		Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError
		URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet atob btoa console decodeURI
		decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt queueMicrotask structuredClone
		tools undefined unescape`)
	got := strings.Fields(strings.Trim(string(o.Value), `"`))
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}
