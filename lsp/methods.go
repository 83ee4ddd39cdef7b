package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// endpoints is the complete list of what the server answers: standard methods
// and its own alike. How a method is registered says when it runs:
//
//   - lifecycle and notice on the read loop, one after another;
//   - query beside everything else, on the snapshot of the moment it was sent;
//   - documentQuery likewise, and an edit of its document ends it with
//     ContentModified, because its answer is of no use any more (LSP-4).
//
// $/cancelRequest is not here: Preempt sees it before anything that is queued.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		protocol.MethodInitialize:  initializeEndpoint,
		protocol.MethodInitialized: notice((*Server).initialized),
		protocol.MethodShutdown:    lifecycle((*Server).shutdown),
		protocol.MethodExit:        notice((*Server).exit),
		protocol.MethodSetTrace:    notice((*Server).setTrace),

		protocol.MethodTextDocumentDidOpen:                didOpenEndpoint,
		protocol.MethodTextDocumentDidChange:              didChangeEndpoint,
		protocol.MethodTextDocumentDidSave:                notice((*Server).didSave),
		protocol.MethodTextDocumentDidClose:               notice((*Server).didClose),
		protocol.MethodWorkspaceDidChangeConfiguration:    notice((*Server).didChangeConfiguration),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     notice((*Server).didChangeWatchedFiles),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: notice((*Server).didChangeWorkspaceFolders),
		protocol.MethodWindowWorkDoneProgressCancel:       notice((*Server).workDoneProgressCancel),

		protocol.MethodTextDocumentCompletion:    documentQuery((*Server).completion),
		protocol.MethodCompletionItemResolve:     query((*Server).completionResolve),
		protocol.MethodTextDocumentHover:         documentQuery((*Server).hover),
		protocol.MethodTextDocumentSignatureHelp: documentQuery((*Server).signatureHelp),
		protocol.MethodTextDocumentDefinition:    documentQuery((*Server).definition),
		protocol.MethodTextDocumentReferences:    documentQuery((*Server).references),

		protocol.MethodTextDocumentTypeDefinition:      documentQuery((*Server).typeDefinition),
		protocol.MethodTextDocumentImplementation:      documentQuery((*Server).implementation),
		protocol.MethodTextDocumentPrepareRename:       documentQuery((*Server).prepareRename),
		protocol.MethodTextDocumentRename:              documentQuery((*Server).rename),
		protocol.MethodTextDocumentDocumentHighlight:   documentQuery((*Server).documentHighlight),
		protocol.MethodTextDocumentDocumentSymbol:      documentQuery((*Server).documentSymbol),
		protocol.MethodTextDocumentFoldingRange:        documentQuery((*Server).foldingRange),
		protocol.MethodTextDocumentSelectionRange:      documentQuery((*Server).selectionRange),
		protocol.MethodTextDocumentSemanticTokensFull:  documentQuery((*Server).semanticTokensFull),
		protocol.MethodTextDocumentSemanticTokensRange: documentQuery((*Server).semanticTokensRange),

		protocol.MethodTextDocumentSemanticTokensFullDelta: documentQuery((*Server).semanticTokensDelta),

		protocol.MethodTextDocumentInlayHint:        documentQuery((*Server).inlayHint),
		protocol.MethodTextDocumentFormatting:       documentQuery((*Server).formatting),
		protocol.MethodTextDocumentRangeFormatting:  documentQuery((*Server).rangeFormatting),
		protocol.MethodTextDocumentOnTypeFormatting: documentQuery((*Server).onTypeFormatting),

		protocol.MethodTextDocumentDiagnostic:  documentQuery((*Server).documentDiagnostic),
		protocol.MethodTextDocumentCodeLens:    documentQuery((*Server).codeLens),
		protocol.MethodTextDocumentCodeAction:  documentQuery((*Server).codeAction),
		protocol.MethodWorkspaceExecuteCommand: query((*Server).executeCommand),

		MethodExec:          query((*Server).exec),
		MethodCheck:         query((*Server).check),
		MethodScriptSchema:  query((*Server).scriptSchema),
		MethodCancel:        query((*Server).cancel),
		MethodRuns:          query((*Server).runs),
		MethodRun:           query((*Server).run),
		MethodValue:         query((*Server).value),
		MethodCatalog:       query((*Server).catalog),
		MethodTypes:         query((*Server).types),
		MethodSearch:        query((*Server).search),
		MethodDescribe:      query((*Server).describe),
		MethodNamespace:     query((*Server).namespace),
		MethodList:          query((*Server).list),
		MethodAnnounce:      query((*Server).announce),
		MethodDeclarations:  query((*Server).declarations),
		MethodCallTool:      query((*Server).callTool),
		MethodExecuteBatch:  query((*Server).executeBatch),
		MethodServers:       query((*Server).servers),
		MethodRestartServer: query((*Server).restartServer),
		MethodAuthenticate:  query((*Server).authenticate),
		MethodApproveServer: query((*Server).approveServer),
		MethodRefuseServers: query((*Server).refuseServers),
		MethodPermissions:   query((*Server).permissions),
		MethodAudit:         query((*Server).auditLog),
		MethodSetPermission: query((*Server).setPermission),
	}
}

// observers are what follows from a change of the workspace, in order.
func observers() []observer {
	return []observer{
		(*Server).reportCatalog,
		(*Server).notifyPoolWatchers,
		(*Server).reportServers,
		(*Server).noteApprovals,
		(*Server).noteSignIns,
		(*Server).setLogLevel,
		(*Server).reportFindings,
		(*Server).reportBrokenRules,
	}
}

// lifecycle runs fn on the read loop and answers at once.
func lifecycle[P, R any](fn func(*Server, context.Context, *P) (R, error)) endpoint {
	return func(s *Server, ctx context.Context, m *incoming) (any, error) {
		params, err := decode[P](m)
		if err != nil {
			return nil, err
		}
		return fn(s, ctx, params)
	}
}

// notice runs fn on the read loop, so edits apply in the order they were sent.
// fn must not wait for anything.
func notice[P any](fn func(*Server, context.Context, *P) error) endpoint {
	return func(s *Server, ctx context.Context, m *incoming) (any, error) {
		params, err := decode[P](m)
		if err != nil {
			return nil, err
		}
		return nil, fn(s, ctx, params)
	}
}

// query pins the snapshot the request was sent against, then lets the read loop
// go on while fn works on that snapshot.
func query[P, R any](fn func(*Server, context.Context, *Snapshot, *P) (R, error)) endpoint {
	return func(s *Server, ctx context.Context, m *incoming) (any, error) {
		params, err := decode[P](m)
		if err != nil {
			return nil, err
		}
		snap := s.session.Snapshot()
		m.release()
		return fn(s, ctx, snap, params)
	}
}

// documentQuery is a query about params.textDocument.
func documentQuery[P, R any](fn func(*Server, context.Context, *Snapshot, *P) (R, error)) endpoint {
	return func(s *Server, ctx context.Context, m *incoming) (any, error) {
		params, err := decode[P](m)
		if err != nil {
			return nil, err
		}
		about, err := decode[struct {
			TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
		}](m)
		if err != nil {
			return nil, err
		}
		s.expireOnEdit(m, string(about.TextDocument.URI))
		snap := s.session.Snapshot()
		m.release()
		return fn(s, ctx, snap, params)
	}
}
