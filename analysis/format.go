package analysis

import (
	"context"

	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// Formatting (NAV-1) of a script as people write it, a top-level body. It has
// the options that the client sends and TypeScript's own defaults.

func (s *Script) Formatting(ctx context.Context, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(ctx, func(d *Document) ([]protocol.TextEdit, error) {
		return s.Engine.Format(ctx, d.Text, d.Language, p.Options)
	})
}

func (s *Script) RangeFormatting(ctx context.Context, p *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(ctx, func(d *Document) ([]protocol.TextEdit, error) {
		return s.Engine.FormatRange(ctx, d.Text, d.Language, d.rangeToEngine(p.Range), p.Options)
	})
}

func (s *Script) OnTypeFormatting(ctx context.Context, p *protocol.DocumentOnTypeFormattingParams) ([]protocol.TextEdit, error) {
	return s.format(ctx, func(d *Document) ([]protocol.TextEdit, error) {
		return s.Engine.FormatOnType(ctx, d.Text, d.Language, d.toEngine(p.Position), p.Ch, p.Options)
	})
}

func (s *Script) format(ctx context.Context, ask func(*Document) ([]protocol.TextEdit, error)) ([]protocol.TextEdit, error) {
	doc := s.Doc
	if s.Engine == nil {
		return []protocol.TextEdit{}, nil
	}
	found, err := ask(doc)
	if err != nil {
		return []protocol.TextEdit{}, s.unanswered(ctx, "formatting", err)
	}
	return doc.fromEngineEdits(found), nil
}

// OnTypeOptions are after which characters a client asks for onTypeFormatting.
func OnTypeOptions() protocol.DocumentOnTypeFormattingOptions {
	return protocol.DocumentOnTypeFormattingOptions{
		FirstTriggerCharacter: typescript.OnTypeTriggers[0], MoreTriggerCharacter: typescript.OnTypeTriggers[1:],
	}
}
