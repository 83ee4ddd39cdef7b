package lsp

import (
	"context"
	"hash/fnv"
	"strconv"

	"codemode-ls/analysis"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The features of documents: each method finds out what the document is, and hands
// the request to what knows about scripts or about configuration files.

// openScript is an open script with all that its features depend on; nil for another
// document.
func (s *Server) openScript(snap *Snapshot, u uri.URI) (*analysis.Script, error) {
	doc, err := snap.document(u)
	if err != nil || !doc.Script {
		return nil, err
	}
	return s.scriptIn(snap, doc), nil
}

func (s *Server) scriptIn(snap *Snapshot, doc *analysis.Document) *analysis.Script {
	return &analysis.Script{
		View: &snap.View, Doc: doc, Engine: s.engine, Log: s.log, Page: s.explanation, Layer: s.lastingScope(),
		Running: len(s.runningRuns(doc.URI)) > 0, Calls: s.states.of(doc),
		Newest: func(ctx context.Context) *analysis.View { return &s.soon(ctx, snap).View },
	}
}

func (s *Server) completion(ctx context.Context, snap *Snapshot, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return s.configCompletion(snap, snap.Docs[string(p.TextDocument.URI)], p.Position), nil
	}
	return a.Completion(ctx, p)
}

func (s *Server) completionResolve(ctx context.Context, snap *Snapshot, item *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	return s.scriptIn(snap, &analysis.Document{}).CompletionResolve(ctx, item)
}

func (s *Server) hover(ctx context.Context, snap *Snapshot, p *protocol.HoverParams) (*protocol.Hover, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return s.configHover(snap, snap.Docs[string(p.TextDocument.URI)], p.Position), nil
	}
	return a.Hover(ctx, p)
}

func (s *Server) codeLens(ctx context.Context, snap *Snapshot, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return s.configLens(snap, snap.Docs[string(p.TextDocument.URI)]), nil
	}
	return a.CodeLens(ctx), nil
}

func (s *Server) codeAction(ctx context.Context, snap *Snapshot, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if a == nil {
		found := s.configActions(snap, snap.Docs[string(p.TextDocument.URI)], p)
		return analysis.ShownActions(&snap.Client.Client, found, p.Context.Only), nil
	}
	return a.CodeAction(ctx, p)
}

func (s *Server) documentSymbol(ctx context.Context, snap *Snapshot, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	switch {
	case err != nil:
		return protocol.DocumentSymbolSlice{}, err
	case a == nil:
		return s.configSymbols(snap, snap.Docs[string(p.TextDocument.URI)]), nil
	}
	return a.DocumentSymbol(ctx)
}

func (s *Server) signatureHelp(ctx context.Context, snap *Snapshot, p *protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil || a == nil {
		return nil, err
	}
	return a.SignatureHelp(ctx, p)
}

func (s *Server) prepareRename(ctx context.Context, snap *Snapshot, p *protocol.PrepareRenameParams) (*protocol.PrepareRenamePlaceholder, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil || a == nil {
		return nil, err
	}
	return a.PrepareRename(ctx, p)
}

func (s *Server) rename(ctx context.Context, snap *Snapshot, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil || a == nil {
		return nil, err
	}
	return a.Rename(ctx, p)
}

// list is what a feature of scripts answers, and an empty list for other documents.
func list[T any](a *analysis.Script, err error, of func(*analysis.Script) ([]T, error)) ([]T, error) {
	if err != nil || a == nil {
		return []T{}, err
	}
	return of(a)
}

func (s *Server) definition(ctx context.Context, snap *Snapshot, p *protocol.DefinitionParams) ([]protocol.Location, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.Location, error) { return a.Definition(ctx, p) })
}

func (s *Server) typeDefinition(ctx context.Context, snap *Snapshot, p *protocol.TypeDefinitionParams) ([]protocol.Location, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.Location, error) { return a.TypeDefinition(ctx, p) })
}

func (s *Server) implementation(ctx context.Context, snap *Snapshot, p *protocol.ImplementationParams) ([]protocol.Location, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.Location, error) { return a.Implementation(ctx, p) })
}

func (s *Server) references(ctx context.Context, snap *Snapshot, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.Location, error) { return a.References(ctx, p) })
}

func (s *Server) documentHighlight(ctx context.Context, snap *Snapshot, p *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.DocumentHighlight, error) { return a.DocumentHighlight(ctx, p) })
}

func (s *Server) foldingRange(ctx context.Context, snap *Snapshot, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.FoldingRange, error) { return a.FoldingRange(ctx, p) })
}

func (s *Server) selectionRange(ctx context.Context, snap *Snapshot, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.SelectionRange, error) { return a.SelectionRange(ctx, p) })
}

func (s *Server) inlayHint(ctx context.Context, snap *Snapshot, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.InlayHint, error) { return a.InlayHint(ctx, p) })
}

func (s *Server) formatting(ctx context.Context, snap *Snapshot, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.TextEdit, error) { return a.Formatting(ctx, p) })
}

func (s *Server) rangeFormatting(ctx context.Context, snap *Snapshot, p *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.TextEdit, error) { return a.RangeFormatting(ctx, p) })
}

func (s *Server) onTypeFormatting(ctx context.Context, snap *Snapshot, p *protocol.DocumentOnTypeFormattingParams) ([]protocol.TextEdit, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	return list(a, err, func(a *analysis.Script) ([]protocol.TextEdit, error) { return a.OnTypeFormatting(ctx, p) })
}

// semanticTokensFull answers textDocument/semanticTokens/full, and remembers the
// answer for clients that ask for what has changed.
func (s *Server) semanticTokensFull(ctx context.Context, snap *Snapshot, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil || a == nil {
		return &protocol.SemanticTokens{Data: []uint32{}}, err
	}
	tokens, err := a.SemanticTokens(ctx, nil)
	if _, open := s.session.Snapshot().Docs[a.Doc.URI]; err == nil && open && s.engine != nil && snap.Client.TokensDelta {
		id := s.tokens.keep(a.Doc.URI, tokens.Data)
		tokens.ResultID = &id
	}
	return tokens, err
}

func (s *Server) semanticTokensRange(ctx context.Context, snap *Snapshot, p *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	a, err := s.openScript(snap, p.TextDocument.URI)
	if err != nil || a == nil {
		return &protocol.SemanticTokens{Data: []uint32{}}, err
	}
	return a.SemanticTokens(ctx, &p.Range)
}

// documentDiagnostic answers textDocument/diagnostic.
func (s *Server) documentDiagnostic(ctx context.Context, snap *Snapshot, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	doc, err := snap.document(p.TextDocument.URI)
	stale := snap.Docs[string(p.TextDocument.URI)]
	if err != nil && stale == nil {
		return nil, err
	}
	items := []protocol.Diagnostic{}
	if err != nil {
		items = outOfStep(stale)
	} else if doc.Script {
		items = append(items, s.diagnose(ctx, snap, doc)...)
		items = append(items, s.scriptIn(snap, doc).RunDiagnostics()...)
	} else if found, ok := s.configDiagnostics(snap, doc); ok {
		items = append(items, found...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := resultID(items)
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: items},
	}, nil
}

func resultID(items []protocol.Diagnostic) string {
	h := fnv.New64a()
	for i := range items {
		raw, err := protocol.Marshal(&items[i])
		if err != nil {
			continue // cannot be sent either
		}
		h.Write(raw)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// diagnose is everything that is wrong with a script: what TypeScript finds,
// and what only Code Mode can know, in the client's encoding.
func (s *Server) diagnose(ctx context.Context, snap *Snapshot, doc *analysis.Document) []protocol.Diagnostic {
	if !doc.Script {
		return nil
	}
	a := s.scriptIn(snap, doc)
	restarts := 0
	if s.engine != nil {
		restarts = s.engine.Restarts()
	}
	d, err := a.Diagnosis(ctx)
	if err != nil {
		return nil
	}
	if d.Unanswered {
		s.unchecked.Store(true)
		if s.engine.Restarts() != restarts { // it may be back already
			s.engineChanged()
		}
	}
	// An answer of the engine to a newer text or pool says nothing of this one.
	if now := s.session.Snapshot(); ctx.Err() == nil && now.Docs[doc.URI] == doc && now.Workspace.Catalog == snap.Workspace.Catalog {
		s.breakage.note(doc, d)
	}
	return a.ForClient(d)
}

// engineChanged has open scripts diagnosed again when an engine is back that did not
// answer for one of them.
func (s *Server) engineChanged() {
	if s.engine.Status().Running && s.unchecked.CompareAndSwap(true, false) {
		s.session.wake()
		s.refresh(s.session.Snapshot())
	}
}

// semanticTokensDelta answers textDocument/semanticTokens/full/delta: what has
// changed since a result, or everything when that is no longer known.
func (s *Server) semanticTokensDelta(ctx context.Context, snap *Snapshot, p *protocol.SemanticTokensDeltaParams) (protocol.SemanticTokensDeltaResult, error) {
	doc, err := snap.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	before, known := s.tokens.of(doc.URI, p.PreviousResultID)
	now, err := s.semanticTokensFull(ctx, snap, &protocol.SemanticTokensParams{TextDocument: p.TextDocument})
	if err != nil || !known || now.ResultID == nil {
		return now, err
	}
	return &protocol.SemanticTokensDelta{ResultID: now.ResultID, Edits: tokensEdits(before, now.Data)}, nil
}
