package lsp

import (
	"context"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// initialize answers at once (LSP-1): it takes in what the client says, and
// starts nothing but the TypeScript engine's process in the background.
// Servers connect after `initialized`.
func (s *Server) initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	if s.state.Load() != stateNew {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize came twice")
	}
	client := readCapabilities(p)
	s.log.Info("initialize", "client", client.Name, "encoding", client.Encoding)
	s.mu.Lock()
	s.folders = foldersOf(p)
	s.settings = initialSettings(p.InitializationOptions, client.Name)
	s.mu.Unlock()
	s.session.Edit(func(next *Snapshot) { next.Client = client })
	if s.o.TypeScript != nil {
		s.engine = s.o.TypeScript()
	}
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := int(*p.ProcessID)
		s.spawn(func(ctx context.Context) { s.watchParent(ctx, pid) })
	}
	s.state.Store(stateRunning)
	return &protocol.InitializeResult{
		Capabilities: serverCapabilities(client),
		ServerInfo:   protocol.ServerInfo{Name: "codemode-ls", Version: protocol.NewOptional(s.o.Version)},
	}, nil
}

// serverCapabilities says what is offered to this client.
func serverCapabilities(c *clientCapabilities) protocol.ServerCapabilities {
	yes := true
	change := protocol.TextDocumentSyncKindIncremental
	caps := protocol.ServerCapabilities{
		PositionEncoding: c.Encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &change, Save: protocol.Boolean(true),
		},
		CompletionProvider: &protocol.CompletionOptions{
			TriggerCharacters: []string{".", "[", `"`, "'"},
			ResolveProvider:   &yes,
		},
		HoverProvider: protocol.Boolean(true),
		SignatureHelpProvider: &protocol.SignatureHelpOptions{
			TriggerCharacters: []string{"(", ","},
		},
		DefinitionProvider:     protocol.Boolean(true),
		ReferencesProvider:     protocol.Boolean(true),
		CodeLensProvider:       &protocol.CodeLensOptions{},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: &yes, ChangeNotifications: protocol.Boolean(true),
			},
		},
		Experimental: offered(),
	}
	if c.PullDiagnostics {
		// Files depend on nothing but themselves and the pool; a change of the pool
		// is told by workspace/diagnostic/refresh.
		caps.DiagnosticProvider = &protocol.DiagnosticOptions{}
	}
	return caps
}

// ProtocolVersion is the version of the custom methods (07-protocol).
const ProtocolVersion = 1

// offered is the server's `experimental`.
func offered() protocol.LSPAny {
	raw, err := json.Marshal(struct {
		Codemode Offer `json:"codemode"`
	}{Offer{ProtocolVersion: ProtocolVersion, Methods: customMethods()}}, json.Deterministic(true))
	if err != nil {
		panic(err) // constants only
	}
	return raw
}

// shutdown answers at once; runs, servers and children end meanwhile.
func (s *Server) shutdown(context.Context, *nothing) (any, error) {
	s.state.Store(stateShutDown)
	s.beginClose()
	return nil, nil
}

// exit ends the connection, in order after shutdown or not.
func (s *Server) exit(context.Context, *nothing) error {
	s.hangup(errExit)
	return nil
}

func (s *Server) setTrace(context.Context, *protocol.SetTraceParams) error { return nil }
