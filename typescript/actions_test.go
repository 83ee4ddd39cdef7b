package typescript

import (
	"slices"
	"strings"
	"testing"

	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// applied is a text after edits, which must not overlap.
func applied(t *testing.T, text string, edits []protocol.TextEdit) string {
	t.Helper()
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int {
		return offsetUTF16(text, a.Range.Start) - offsetUTF16(text, b.Range.Start)
	})
	var b strings.Builder
	at := 0
	for _, e := range edits {
		start, end := offsetUTF16(text, e.Range.Start), offsetUTF16(text, e.Range.End)
		if start < at || end < start {
			t.Fatalf("edits overlap: %v", edits)
		}
		b.WriteString(text[at:start] + e.NewText)
		at = end
	}
	return b.String() + text[at:]
}

// ACT-1: what TypeScript itself can mend, at the author's positions.
func TestAct1EngineFixes(t *testing.T) {
	e := newEngine(t)
	const u = "file:///a.exec.ts"
	for _, tt := range []struct{ name, text, title, want string }{
		{"misspelled local", "const total = 1;\r\nreturn totl;", "Change spelling to total", "const total = 1;\r\nreturn total;"},
		{"misspelled field", "await tools.mcp__a__search({ query: '😀', limt: 1 })", "Change spelling to limit", "await tools.mcp__a__search({ query: '😀', limit: 1 })"},
		{"misspelled value", "const s = '😀'; await tools.mcp__a__search({ query: s, mode:  'deeep' })", "Change spelling to 'deep'", "const s = '😀'; await tools.mcp__a__search({ query: s, mode:  'deep' })"},
		{"misspelled result", "const r = await tools.mcp__a__search({ query: '' });\nreturn r.itms", "Change spelling to items", "const r = await tools.mcp__a__search({ query: '' });\nreturn r.items"},
		{"misspelled tool in brackets", "await tools['mcp__a-b__y']({})", "Change spelling to 'mcp__a-b__x'", "await tools['mcp__a-b__x']({})"},
		{"interface", "interface A { n: number }\nclass B implements A {\n}\nreturn new B()", "Implement interface 'A'", "interface A { n: number }\nclass B implements A {\n    n: number;\n}\nreturn new B()"},
		{"interface, CRLF", "interface A { n: number }\r\nclass B implements A {\r\n}\r\nreturn new B()", "Implement interface 'A'", "interface A { n: number }\r\nclass B implements A {\r\n    n: number;\r\n}\r\nreturn new B()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e.Open(u, script.TypeScript, 1, script.Read(tt.text))
			defer e.Close(u)
			found, err := e.Diagnostics(t.Context(), u)
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := ends(tt.text)
			actions, err := e.CodeActions(t.Context(), u, protocol.Range{End: whole}, found, nil)
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for _, a := range actions {
				titles = append(titles, a.Title)
				if a.Title != tt.title {
					continue
				}
				if len(a.Edit.Changes) != 1 || len(a.Diagnostics) != 1 {
					t.Fatalf("%+v", a)
				}
				if diff := cmp.Diff(tt.want, applied(t, tt.text, a.Edit.Changes[u])); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				return
			}
			t.Errorf("offered are %q; diagnostics %v", titles, found)
		})
	}
	e.Open(u, script.TypeScript, 1, script.Read("const total = 1;\nreturn totl;"))
	found, err := e.Diagnostics(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	if actions, err := e.CodeActions(t.Context(), u, protocol.Range{}, found, []protocol.CodeActionKind{protocol.CodeActionKindRefactor}); err != nil || len(actions) != 0 {
		t.Errorf("refactorings: %v %v", actions, err)
	}
}
