package typescript

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

var twoSpaces = protocol.FormattingOptions{TabSize: 2, InsertSpaces: true}

// formatted is a text after formatting.
func formatted(t *testing.T, e *Engine, text string, l script.Language) string {
	t.Helper()
	edits, err := e.Format(t.Context(), text, l, twoSpaces)
	if err != nil {
		t.Fatal(err)
	}
	return applied(t, text, edits)
}

// dense is a text without white space.
func dense(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// NAV-1: formatting changes white space alone, says the same the second time, and
// keeps line ends; in scripts that are right, in those whose indentation and spaces were
// taken away, and in those that end too early.
func TestNav1FormatKeepsScripts(t *testing.T) {
	e := newEngine(t)
	data, err := os.ReadFile(filepath.Join("..", "lsp", "testdata", "scripts", "correct.txt"))
	if err != nil {
		t.Fatal(err)
	}
	scripts := regexp.MustCompile(`(?m)^== .*\n`).Split(string(data), -1)[1:]
	indents := regexp.MustCompile(`(?m)^[ \t]+`)
	for i, text := range scripts {
		flat := text
		if !strings.Contains(text, "`") { // the inside of templates is no white space
			flat = indents.ReplaceAllString(text, "")
		}
		for _, variant := range []string{text, flat, strings.ReplaceAll(flat, "\n", "\r\n"), "```ts\n" + text + "```\n", text[:len(text)*2/3]} {
			l := []script.Language{script.TypeScript, script.JavaScript}[i%2]
			once := formatted(t, e, variant, l)
			if dense(once) != dense(variant) {
				t.Errorf("more than white space changes in\n%s\n%s", variant, cmp.Diff(dense(variant), dense(once)))
			}
			if strings.Contains(variant, "\r\n") && strings.Count(once, "\n") != strings.Count(once, "\r\n") {
				t.Errorf("a line end has changed in\n%q", once)
			}
			if twice := formatted(t, e, once, l); len(variant) >= len(flat) && twice != once {
				t.Errorf("formatting again changes\n%s", cmp.Diff(strings.Split(once, "\n"), strings.Split(twice, "\n")))
			}
		}
	}
	if e.Restarts() != 0 {
		t.Error("the engine has died")
	}
}

// What a client says of indentation may be nonsense.
func TestFormatOptions(t *testing.T) {
	e := newEngine(t)
	for _, size := range []uint32{0, 1, 8, 4294967295} {
		edits, err := e.Format(t.Context(), "if (1) {\nreturn 2\n}", script.TypeScript, protocol.FormattingOptions{TabSize: size, InsertSpaces: true})
		if err != nil || len(edits) == 0 || len(edits[0].NewText) > 64 {
			t.Errorf("tab size %d: %d edits, %v", size, len(edits), err)
		}
	}
}

// Nothing but white space is an edit's business, wherever it is asked for.
func TestFormatUnfinished(t *testing.T) {
	e := newEngine(t)
	const text = "```ts\n// @options: {}\nconst a = { b: [\"😀\", `x ${1} y`],\r\n  c: /a b/ };\nfor (const x of a.b) {\tif (x) { return x } else\n{ continue; } }\n```"
	for end := 0; end <= len(text); end += 3 {
		cut := strings.ToValidUTF8(text[:end], "")
		at, _ := ends(cut)
		for _, ch := range OnTypeTriggers {
			edits, err := e.FormatOnType(t.Context(), cut, script.TypeScript, at, ch, twoSpaces)
			if err != nil {
				t.Fatalf("%q: %v", cut, err)
			}
			if next := applied(t, cut, edits); dense(next) != dense(cut) {
				t.Errorf("%q after %q becomes %q", cut, ch, next)
			}
		}
		edits, err := e.FormatRange(t.Context(), cut, script.TypeScript, protocol.Range{Start: protocol.Position{Line: 2}, End: at}, twoSpaces)
		if err != nil || dense(applied(t, cut, edits)) != dense(cut) {
			t.Errorf("%q: %v %v", cut, edits, err)
		}
	}
	if e.Restarts() != 0 {
		t.Error("the engine has died")
	}
}

// A byte order mark, lone carriage returns, tabs, and nothing at all.
func TestFormatOddTexts(t *testing.T) {
	e := newEngine(t)
	for text, want := range map[string]string{
		"\ufeffconst  a=1\nreturn a": "\ufeffconst a = 1\nreturn a",
		"const  a=1\rreturn  a":      "const a = 1\rreturn a",
		"\tconst a=1\n\treturn a":    "const a = 1\nreturn a",
		"":                           "",
		"```ts\n```":                 "```ts\n```",
		"  \n\n":                     "\n\n",
		"// a\n  /* b */   \n   ":    "// a\n/* b */\n",
	} {
		if got := formatted(t, e, text, script.TypeScript); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

// NAV-1: what a client wants of the end of a file takes nothing from it twice.
func TestNav1FinalNewline(t *testing.T) {
	e := newEngine(t)
	yes := true
	for text, want := range map[string]string{
		"return 1;":               "return 1;\n",
		"return 1;   \n   ":       "return 1;\n",
		"return 1;  \r\n\r\n  ":   "return 1;\r\n\r\n",
		"  return  1;\n":          "return 1;\n",
		"// a\n  /* b */   \n   ": "// a\n/* b */\n",
	} {
		edits, err := e.Format(t.Context(), text, script.TypeScript, protocol.FormattingOptions{TabSize: 2, InsertSpaces: true, InsertFinalNewline: &yes})
		if err != nil {
			t.Fatal(err)
		}
		if got := applied(t, text, edits); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
	edits, err := e.FormatRange(t.Context(), "  // a\n\n  // b\n", script.TypeScript, protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2, Character: 6}}, twoSpaces)
	if err != nil || applied(t, "  // a\n\n  // b\n", edits) != "  // a\n\n// b\n" {
		t.Errorf("beyond the range: %v %v", edits, err)
	}
}
