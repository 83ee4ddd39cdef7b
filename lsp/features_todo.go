package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// Placeholders of the language features: completion.go, hover.go, signature.go,
// definition.go and diagnostics.go replace this file.

func (s *Server) completion(context.Context, *Snapshot, *protocol.CompletionParams) (*protocol.CompletionList, error) {
	return nil, nil
}

func (s *Server) completionResolve(_ context.Context, _ *Snapshot, p *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	return p, nil
}

func (s *Server) hover(context.Context, *Snapshot, *protocol.HoverParams) (*protocol.Hover, error) {
	return nil, nil
}

func (s *Server) signatureHelp(context.Context, *Snapshot, *protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	return nil, nil
}

func (s *Server) definition(context.Context, *Snapshot, *protocol.DefinitionParams) ([]protocol.Location, error) {
	return nil, nil
}

func (s *Server) references(context.Context, *Snapshot, *protocol.ReferenceParams) ([]protocol.Location, error) {
	return nil, nil
}

func (s *Server) documentDiagnostic(ctx context.Context, snap *Snapshot, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	doc, err := snap.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Items: s.diagnose(ctx, snap, doc)},
	}, nil
}

func (s *Server) diagnose(context.Context, *Snapshot, *Document) []protocol.Diagnostic { return nil }
