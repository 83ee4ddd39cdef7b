package analysis

import (
	"context"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/script"
	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// InlayHint answers textDocument/inlayHint: TypeScript's own hints, as far as
// the settings ask for them (NAV-1), and behind the name of a tool that is
// called what its server says of it (INLAY-1).
func (s *Script) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	snap, doc := s.View, s.Doc
	hints := append(callMarks(snap, doc, p.Range), s.stateHints(p.Range)...)
	if s.Engine == nil {
		return hints, nil
	}
	s.Engine.SetInlayHints(engineHints(snap.Workspace.Config.InlayHints))
	found, err := s.Engine.InlayHints(ctx, doc.URI, doc.rangeToEngine(p.Range))
	if err != nil {
		return hints, s.unanswered(ctx, "inlayHint", err)
	}
	for _, h := range found {
		h.Position = doc.fromEngine(protocol.Range{Start: h.Position, End: h.Position}).Start
		h.TextEdits = doc.fromEngineEdits(h.TextEdits)
		if m, ok := h.Tooltip.(*protocol.MarkupContent); ok {
			h.Tooltip = engineMarkup(snap.Client.MarkdownHover, m.Value)
		}
		hints = append(hints, h)
	}
	slices.SortStableFunc(hints, func(a, b protocol.InlayHint) int { return ComparePositions(a.Position, b.Position) })
	return hints, nil
}

// engineHints are the settings as the engine knows them.
func engineHints(h config.InlayHintSettings) typescript.InlayHints {
	return typescript.InlayHints{
		ParameterNames: h.ParameterNames, VariableTypes: h.VariableTypes, ParameterTypes: h.ParameterTypes,
		ReturnTypes: h.ReturnTypes, EnumValues: h.EnumValues, PropertyTypes: h.VariableTypes,
	}
}

// callMarks are the marks of the calls in a range.
func callMarks(snap *View, doc *Document, in protocol.Range) []protocol.InlayHint {
	hints := []protocol.InlayHint{}
	for _, u := range script.Uses(doc.Text) {
		tool, known := snap.Workspace.Catalog.Find(u.Name)
		if !u.Called || u.Member != "" || !known {
			continue
		}
		words, why := warningWords(tool)
		at := doc.FromUTF16(u.Whole.End)
		if len(words) == 0 || ComparePositions(at, in.Start) < 0 || ComparePositions(in.End, at) < 0 {
			continue
		}
		left := true
		hints = append(hints, protocol.InlayHint{
			Position: at, Label: protocol.String(strings.Join(words, " · ")), PaddingLeft: &left,
			Tooltip: protocol.String("Its server says of " + Plain(u.Name, 200) + ": " + strings.Join(why, "; ") + "."),
		})
	}
	return hints
}

// warningWords are what a person should know before a tool is called: in a word
// each, and in full. Only what a server says itself counts: most say nothing.
func warningWords(t *catalog.Tool) (words, why []string) {
	if isDestructive(t) {
		words, why = append(words, "⚠ destructive"), append(why, "it may delete or overwrite things")
	}
	if open := t.Annotations.OpenWorld; open != nil && *open {
		words, why = append(words, "open world"), append(why, "it deals with systems outside, such as the web")
	}
	return words, why
}
