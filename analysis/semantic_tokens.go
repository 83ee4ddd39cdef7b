package analysis

import (
	"context"

	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// SemanticTokensOptions say what is offered, and in which words.
func SemanticTokensOptions(delta bool) *protocol.SemanticTokensOptions {
	o := &protocol.SemanticTokensOptions{
		Legend: protocol.SemanticTokensLegend{TokenTypes: typescript.TokenTypes, TokenModifiers: typescript.TokenModifiers},
		Full:   protocol.Boolean(true), Range: protocol.Boolean(true),
	}
	if delta {
		yes := true
		o.Full = &protocol.SemanticTokensFullDelta{Delta: &yes}
	}
	return o
}

// SemanticTokens are those that touch a range; nil is the whole document.
func (s *Script) SemanticTokens(ctx context.Context, in *protocol.Range) (*protocol.SemanticTokens, error) {
	doc := s.Doc
	none := &protocol.SemanticTokens{Data: []uint32{}}
	if s.Engine == nil {
		return none, nil
	}
	var part *protocol.Range // a screen of a long script
	if in != nil {
		part = &protocol.Range{Start: doc.toEngine(in.Start), End: doc.toEngine(in.End)}
	}
	found, err := s.Engine.SemanticTokens(ctx, doc.URI, part)
	if err != nil {
		return none, s.unanswered(ctx, "semanticTokens", err)
	}
	return &protocol.SemanticTokens{Data: doc.Tokens(found, in)}, nil
}

// Tokens are the engine's semantic tokens, five numbers each, as the client
// counts; those that do not touch in are left out.
func (d *Document) Tokens(found []uint32, in *protocol.Range) []uint32 {
	shown := make([]uint32, 0, len(found))
	var line, character uint32 // of the engine's token
	var last protocol.Position // the token shown last
	for i := 0; i+5 <= len(found); i += 5 {
		t := found[i : i+5]
		if t[0] > 0 {
			line, character = line+t[0], 0
		}
		character += t[1]
		r := d.fromEngine(protocol.Range{
			Start: protocol.Position{Line: line, Character: character},
			End:   protocol.Position{Line: line, Character: character + t[2]},
		})
		if in != nil && (ComparePositions(r.End, in.Start) <= 0 || ComparePositions(in.End, r.Start) <= 0) || r.Start == r.End {
			continue
		}
		delta := r.Start.Character
		if r.Start.Line == last.Line {
			delta -= last.Character
		}
		shown = append(shown, r.Start.Line-last.Line, delta, r.End.Character-r.Start.Character, t[3], t[4])
		last = r.Start
	}
	return shown
}
