package lsp

import (
	"context"

	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// Formatting (NAV-1) of a script as people write it, a top-level body. It has
// the options that the client sends and TypeScript's own defaults.

func (s *Server) formatting(ctx context.Context, snap *Snapshot, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(ctx, snap, p.TextDocument, func(d *Document) ([]protocol.TextEdit, error) {
		return s.engine.Format(ctx, d.Text, d.Language, p.Options)
	})
}

func (s *Server) rangeFormatting(ctx context.Context, snap *Snapshot, p *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(ctx, snap, p.TextDocument, func(d *Document) ([]protocol.TextEdit, error) {
		return s.engine.FormatRange(ctx, d.Text, d.Language, d.rangeToEngine(p.Range), p.Options)
	})
}

func (s *Server) onTypeFormatting(ctx context.Context, snap *Snapshot, p *protocol.DocumentOnTypeFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(ctx, snap, p.TextDocument, func(d *Document) ([]protocol.TextEdit, error) {
		return s.engine.FormatOnType(ctx, d.Text, d.Language, d.toEngine(p.Position), p.Ch, p.Options)
	})
}

func (s *Server) format(ctx context.Context, snap *Snapshot, of protocol.TextDocumentIdentifier, ask func(*Document) ([]protocol.TextEdit, error)) ([]protocol.TextEdit, error) {
	doc, err := snap.document(of.URI)
	if err != nil || !doc.Script || s.engine == nil {
		return []protocol.TextEdit{}, err
	}
	found, err := ask(doc)
	if err != nil {
		return []protocol.TextEdit{}, s.unanswered(ctx, "formatting", err)
	}
	return doc.fromEngineEdits(found), nil
}

// onTypeOptions are after which characters a client asks for onTypeFormatting.
func onTypeOptions() protocol.DocumentOnTypeFormattingOptions {
	return protocol.DocumentOnTypeFormattingOptions{
		FirstTriggerCharacter: typescript.OnTypeTriggers[0], MoreTriggerCharacter: typescript.OnTypeTriggers[1:],
	}
}
