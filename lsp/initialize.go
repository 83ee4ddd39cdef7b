package lsp

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/catalog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	s.settings = initialSettings(p.InitializationOptions, client.splitsSettings())
	s.mu.Unlock()
	s.session.Edit(func(next *Snapshot) { next.setClient(client) })
	if s.o.TypeScript != nil {
		s.engine = s.o.TypeScript()
		s.engine.OnChange(s.engineChanged)
		s.engine.OnChange(s.engineChanged)
		// Until the workspace is open: tools and console are there, whatever tools has.
		s.engine.SetDeclarations(catalog.Empty().Declarations().Views())
	}
	if p.ProcessID != nil && *p.ProcessID > 0 {
		s.watchParent(int(*p.ProcessID))
	}
	s.state.Store(stateRunning)
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(client),
		ServerInfo:   protocol.ServerInfo{Name: "codemode-ls", Version: protocol.NewOptional(s.o.Version)},
	}, nil
}

// initializeEndpoint reads params as far as they can be read: a client with one
// odd field in its capabilities must still be able to start.
func initializeEndpoint(s *Server, ctx context.Context, m *incoming) (any, error) {
	params, err := decode[protocol.InitializeParams](m)
	if err != nil {
		s.log.Warn("params of initialize are odd; what cannot be read is left out", "err", err)
		params = new(protocol.InitializeParams)
		readable := dropUnreadable[protocol.InitializeParams](jsontext.Value(m.Params()), func(member string, value jsontext.Value) jsontext.Value {
			if member != "capabilities" {
				return nil
			}
			return dropUnreadable[protocol.ClientCapabilities](value, func(member string, value jsontext.Value) jsontext.Value {
				switch member {
				case "textDocument":
					return dropUnreadable[protocol.TextDocumentClientCapabilities](value, nil)
				case "workspace":
					return dropUnreadable[protocol.WorkspaceClientCapabilities](value, nil)
				case "general":
					return dropUnreadable[protocol.GeneralClientCapabilities](value, nil)
				case "window":
					return dropUnreadable[protocol.WindowClientCapabilities](value, nil)
				}
				return nil
			})
		})
		if err := protocol.Unmarshal(readable, params); err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "initialize: %v", err)
		}
	}
	return s.initialize(ctx, params)
}

// dropUnreadable is the object without the members that a T cannot be read
// with. repair may make such a member readable instead; nil drops it.
func dropUnreadable[T any](object jsontext.Value, repair func(member string, value jsontext.Value) jsontext.Value) jsontext.Value {
	var members []jsontext.Value // name, value, name, value, …
	dec := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return jsontext.Value("{}")
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		member := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		value = value.Clone()
		quoted, err := jsontext.AppendQuote(nil, member)
		if err != nil {
			continue
		}
		if protocol.Unmarshal(objectOf(quoted, value), new(T)) != nil {
			if repair == nil {
				continue
			}
			if value = repair(member, value); value == nil || protocol.Unmarshal(objectOf(quoted, value), new(T)) != nil {
				continue
			}
		}
		members = append(members, quoted, value)
	}
	return objectOf(members...)
}

// objectOf is an object of names and values in turn.
func objectOf(members ...jsontext.Value) jsontext.Value {
	out := []byte{'{'}
	for i, m := range members {
		switch {
		case i%2 == 1:
			out = append(out, ':')
		case i > 0:
			out = append(out, ',')
		}
		out = append(out, m...)
	}
	return append(out, '}')
}

// capabilities are what the server offers to this client.
func (s *Server) capabilities(c *clientCapabilities) protocol.ServerCapabilities {
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
		DefinitionProvider: protocol.Boolean(true),
		ReferencesProvider: protocol.Boolean(true),

		TypeDefinitionProvider:           protocol.Boolean(true),
		ImplementationProvider:           protocol.Boolean(true),
		RenameProvider:                   analysis.RenameProvider(&c.Client),
		DocumentHighlightProvider:        protocol.Boolean(true),
		DocumentSymbolProvider:           protocol.Boolean(true),
		FoldingRangeProvider:             protocol.Boolean(true),
		SelectionRangeProvider:           protocol.Boolean(true),
		SemanticTokensProvider:           analysis.SemanticTokensOptions(c.TokensDelta),
		InlayHintProvider:                protocol.Boolean(true),
		DocumentFormattingProvider:       protocol.Boolean(true),
		DocumentRangeFormattingProvider:  protocol.Boolean(true),
		DocumentOnTypeFormattingProvider: analysis.OnTypeOptions(),

		CodeLensProvider:       &protocol.CodeLensOptions{},
		CodeActionProvider:     analysis.CodeActionProvider(&c.Client),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: slices.Sorted(maps.Keys(s.commands))},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: &yes, ChangeNotifications: protocol.Boolean(true),
			},
		},
		Experimental: s.offered(),
	}
	if c.PullDiagnostics {
		// Files depend on nothing but themselves and the pool; a change of the pool
		// is reported by workspace/diagnostic/refresh.
		caps.DiagnosticProvider = &protocol.DiagnosticOptions{}
	}
	return caps
}

// ProtocolVersion is the version of the custom methods (07-protocol).
const ProtocolVersion = 1

// offered is the server's `experimental`, with the methods that are its own.
func (s *Server) offered() protocol.LSPAny {
	var own []string
	for name := range s.endpoints {
		if strings.HasPrefix(name, "codemode/") {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	raw, err := json.Marshal(struct {
		Codemode Offer `json:"codemode"`
	}{Offer{ProtocolVersion: ProtocolVersion, Methods: own}}, json.Deterministic(true))
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
