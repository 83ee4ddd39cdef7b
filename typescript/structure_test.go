package typescript

import (
	"fmt"
	"slices"
	"testing"

	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

func span(line, from, to uint32) protocol.Range {
	return protocol.Range{Start: protocol.Position{Line: line, Character: from}, End: protocol.Position{Line: line, Character: to}}
}

// NAV-1: none of it shows the wrapper.
func TestNav1Structure(t *testing.T) {
	e := newEngine(t)
	const u = "file:///a.exec.ts"
	e.Open(u, script.TypeScript, 1, script.Read("const total = 1;\nfunction add(x: number) {\n  const y = x + total;\n  return y;\n}\nreturn add(total);"))
	ctx := t.Context()
	total := protocol.Position{Line: 5, Character: 13}

	symbols, err := e.Symbols(ctx, u)
	var names []string
	for _, s := range symbols {
		names = append(names, fmt.Sprint(s.Name, s.SelectionRange.Start.Line))
		for _, c := range s.Children {
			names = append(names, fmt.Sprint("  ", c.Name, c.SelectionRange.Start.Line))
		}
	}
	if diff := cmp.Diff([]string{"total0", "add1", "  y2"}, names); err != nil || diff != "" {
		t.Errorf("symbols %v (-want +got)\n%s", err, diff)
	}

	highlights, err := e.Highlights(ctx, u, total)
	if err != nil || len(highlights) != 3 || highlights[0].Range != span(0, 6, 11) {
		t.Errorf("highlights %v %v", highlights, err)
	}
	r, err := e.PrepareRename(ctx, u, total)
	if err != nil || r == nil || *r != span(5, 11, 16) {
		t.Errorf("prepare %v %v", r, err)
	}
	edits, err := e.Rename(ctx, u, total, "sum")
	if err != nil || len(edits) != 1 || len(edits[u]) != 3 {
		t.Errorf("rename %v %v", edits, err)
	}
	folds, err := e.Folding(ctx, u)
	if err != nil || len(folds) != 1 || folds[0].StartLine != 1 {
		t.Errorf("folding %v %v", folds, err)
	}
	selections, err := e.Selections(ctx, u, []protocol.Position{{Line: 2, Character: 12}})
	if err != nil || len(selections) != 1 || selections[0].Range != span(2, 12, 13) {
		t.Fatalf("selections %v %v", selections, err)
	}
	last := &selections[0]
	for last.Parent != nil {
		last = last.Parent
	}
	if whole := (protocol.Range{End: protocol.Position{Line: 5, Character: 18}}); last.Range != whole {
		t.Errorf("the outermost selection is %v", last.Range)
	}
	tokens, err := e.SemanticTokens(ctx, u, nil)
	if err != nil || len(tokens) < 10 || tokens[0] != 0 || tokens[1] != 6 || tokens[2] != 5 || TokenTypes[tokens[3]] != "variable" {
		t.Errorf("tokens %v %v", tokens, err)
	}
	// Those of a line are those that the document has there, counted from its beginning.
	line := protocol.Range{Start: protocol.Position{Line: 5}, End: protocol.Position{Line: 6}}
	part, err := e.SemanticTokens(ctx, u, &line)
	if err != nil || len(part) == 0 || len(part) >= len(tokens) || part[0] != 5 || !slices.Equal(part[5:], tokens[len(tokens)-len(part)+5:]) {
		t.Errorf("tokens of a line %v of %v, %v", part, tokens, err)
	}
	if _, err := e.InlayHints(ctx, u, protocol.Range{End: protocol.Position{Line: 5, Character: 18}}); err != nil {
		t.Error(err)
	}
	// A tool is the server's to name.
	e.Change(u, 2, script.Read("await tools.mcp__a__search({ query: '' })"))
	if edits, err := e.Rename(ctx, u, protocol.Position{Character: 15}, "x"); len(edits) != 0 {
		t.Errorf("rename of a tool: %v %v", edits, err)
	}
	if _, err := e.Highlights(ctx, "file:///never", total); err == nil {
		t.Error("no error for a document that is not open")
	}
}
