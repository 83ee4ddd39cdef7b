package analysis

import (
	"codemode-ls/script"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// engineActions are TypeScript's own fixes for what it complains about in a
// range (ACT-1).
func (m *fixer) engineActions(within script.Range) []protocol.CodeAction {
	var about []protocol.Diagnostic
	for _, t := range m.Types {
		if touches(utf16Range(t.Range), within) {
			about = append(about, t)
		}
	}
	if len(about) == 0 || m.s.Engine == nil {
		return nil
	}
	in := protocol.Range{Start: enginePosition(within.Start), End: enginePosition(within.End)}
	found, err := m.s.Engine.CodeActions(m.ctx, m.s.Doc.URI, in, about, nil)
	if err != nil {
		_ = m.s.unanswered(m.ctx, "codeAction", err) // the others' fixes stay
		return nil
	}
	for i := range found {
		a := &found[i]
		for j, t := range a.Diagnostics {
			a.Diagnostics[j] = m.s.typeDiagnostic(t)
		}
		a.Edit = m.s.workspaceEdit(map[string][]protocol.TextEdit{m.s.Doc.URI: a.Edit.Changes[uri.URI(m.s.Doc.URI)]})
	}
	return found
}

func enginePosition(p script.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}
