package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// TYPE-7: in a person's own file of results the tools are offered whose result no
// server declares, where a member's name is written and nowhere else.
func TestType7CompletionInResultsFile(t *testing.T) {
	g := newStage(t, able(), "")
	folder := t.TempDir()
	g.folders = []string{folder}
	file := uri.File(filepath.Join(folder, filepath.FromSlash(workspace.ResultsFile)))
	undeclared, declared := "", ""
	for _, tool := range g.snap.Workspace.Catalog.Tools() {
		if tool.OutputSchema == nil {
			undeclared = tool.Name
		} else {
			declared = tool.Name
		}
	}
	if undeclared == "" || declared == "" {
		t.Fatalf("the pool needs both: %q, %q", undeclared, declared)
	}
	complete := func(marked string) (names []string, edited string) {
		text, after, _ := strings.Cut(marked, "|")
		doc := analysis.NewDocument(string(file), 1, "", text+after, g.snap.Client.Encoding)
		snap := g.session.setDocument(doc)
		list, err := g.completion(t.Context(), snap, &protocol.CompletionParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: file}, Position: doc.Position(len(text)),
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			names = append(names, item.Label)
			if item.Label == undeclared {
				edit := item.TextEdit.(*protocol.TextEdit)
				start, end := doc.Offsets(edit.Range)
				edited = doc.Text[:start] + edit.NewText + doc.Text[end:]
			}
		}
		return names, edited
	}
	for marked, want := range map[string]string{
		"interface Results {\n  |\n}":                               "interface Results {\n  " + undeclared + ": unknown;\n}",
		"interface A { x: number }\ninterface Results {\n  mcp|\n}": "interface A { x: number }\ninterface Results {\n  " + undeclared + ": unknown;\n}",
		"interface Results {\n  \"mcp|\"\n}":                        "interface Results {\n  " + undeclared + ": unknown;\n}",
	} {
		names, edited := complete(marked)
		if edited != want || slices.Contains(names, declared) {
			t.Errorf("%s: %q, among %q", marked, edited, names)
		}
	}
	for _, marked := range []string{
		"|", "interface A {\n  |\n}", "interface Results {\n  a: {\n    |\n  }\n}", "interface Results {\n  a: |\n}",
		"interface Results {\n  a: string;\n}\n|", "interface Results {\n  " + undeclared + ": string;\n  |\n}",
	} {
		if names, _ := complete(marked); slices.Contains(names, undeclared) {
			t.Errorf("%s offers %q", marked, names)
		}
	}
}
