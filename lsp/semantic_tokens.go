package lsp

import (
	"context"

	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// semanticTokensOptions say what is offered, and in which words.
func semanticTokensOptions(c *clientCapabilities) *protocol.SemanticTokensOptions {
	o := &protocol.SemanticTokensOptions{
		Legend: protocol.SemanticTokensLegend{TokenTypes: typescript.TokenTypes, TokenModifiers: typescript.TokenModifiers},
		Full:   protocol.Boolean(true), Range: protocol.Boolean(true),
	}
	if c.TokensDelta {
		yes := true
		o.Full = &protocol.SemanticTokensFullDelta{Delta: &yes}
	}
	return o
}

// semanticTokensFull answers textDocument/semanticTokens/full (NAV-1).
func (s *Server) semanticTokensFull(ctx context.Context, snap *Snapshot, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	return s.semanticTokens(ctx, snap, p.TextDocument, nil)
}

// semanticTokensRange answers textDocument/semanticTokens/range.
func (s *Server) semanticTokensRange(ctx context.Context, snap *Snapshot, p *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	return s.semanticTokens(ctx, snap, p.TextDocument, &p.Range)
}

// semanticTokens are those that touch a range; nil is the whole document.
func (s *Server) semanticTokens(ctx context.Context, snap *Snapshot, of protocol.TextDocumentIdentifier, in *protocol.Range) (*protocol.SemanticTokens, error) {
	none := &protocol.SemanticTokens{Data: []uint32{}}
	doc, err := snap.document(of.URI)
	if err != nil || !doc.Script || s.engine == nil {
		return none, err
	}
	var part *protocol.Range // a screen of a long script
	if in != nil {
		part = &protocol.Range{Start: doc.toEngine(in.Start), End: doc.toEngine(in.End)}
	}
	found, err := s.engine.SemanticTokens(ctx, doc.URI, part)
	if err != nil {
		return none, s.unanswered(ctx, "semanticTokens", err)
	}
	tokens := &protocol.SemanticTokens{Data: doc.tokens(found, in)}
	if _, open := s.session.Snapshot().Docs[doc.URI]; in == nil && open && snap.Client.TokensDelta {
		id := s.tokens.keep(doc.URI, tokens.Data)
		tokens.ResultID = &id
	}
	return tokens, nil
}

// tokens are the engine's semantic tokens, five numbers each, as the client
// counts; those that do not touch in are left out.
func (d *Document) tokens(found []uint32, in *protocol.Range) []uint32 {
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
		if in != nil && (comparePositions(r.End, in.Start) <= 0 || comparePositions(in.End, r.Start) <= 0) || r.Start == r.End {
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
