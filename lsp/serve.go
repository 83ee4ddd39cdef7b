package lsp

import (
	"context"
	"hash/maphash"
	"io"
	"log/slog"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/internal/rawjson"
	"codemode-ls/internal/redact"
	"codemode-ls/permission"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// drainTime is how long handlers may take to end when the connection has. They
// have been cancelled by then.
const drainTime = 5 * time.Second

// Serve speaks LSP on rwc until the client says exit, hangs up, or ctx ends. The
// result is the process's exit code: 0 when shutdown came before exit.
//
// The context of every handler ends the moment the client is gone, so a script
// that still runs when an editor dies is ended and not orphaned. Serve closes
// rwc and returns even if a read of it stays blocked, as one of standard input
// does.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) (exitCode int) {
	ctx, hangup := context.WithCancelCause(ctx)
	s := newServer(o, hangup)
	f := newFrames(rwc, s.log, hangup)
	s.conn = jsonrpc2.NewConn(
		jsonrpc2.NewStream(f),
		jsonrpc2.WithCodec(codec{&s.spelled}),
		jsonrpc2.WithPreempter(s),
	)
	s.client = protocol.ClientDispatcher(s.conn)
	s.ctx = ctx
	s.conn.Go(ctx, s.handle)

	<-ctx.Done()
	f.Close()
	s.close()
	await(drainTime, s.conn.Done(), func() { s.log.Error("a handler does not end") })
	await(drainTime/50, f.done, func() {}) // standard input stays blocked
	s.log.Info("session ended", "cause", context.Cause(ctx))
	if s.state.Load() == stateShutDown {
		return 0
	}
	return 1
}

func newServer(o Options, hangup context.CancelCauseFunc) *Server {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if o.Session != nil {
		o.Session(&o.Workspace)
	}
	if o.Workspace.Redact == nil {
		o.Workspace.Redact = new(redact.Redactor)
	}
	recent, toClient := &recentLog{}, newClientLog()
	log = slog.New(o.Workspace.Redact.Handler(logTee{log.Handler(), logTee{recent.handler(), toClient.handler()}}))
	o.Workspace.Log = log
	s := &Server{
		o: o, log: log, recent: recent, toClient: toClient, hangup: hangup,
		endpoints: endpoints(), commands: commands(), observers: observers(),
		ready: make(chan struct{}), recalled: make(chan struct{}), ended: make(chan struct{}),
		workspaceChanged: make(chan struct{}, 1),
		settingsChanged:  make(chan struct{}, 1),
		approvalsPending: make(chan struct{}, 1), signInsPending: make(chan struct{}, 1),
		statesChanged:    make(chan struct{}, 1),
		requests:         map[jsonrpc2.ID]*incoming{},
		progressRuns:     map[string]string{},
		runsNow:          map[string]string{},
		reportedFindings: map[string]bool{},
		updated:          make(chan struct{}),
		open:             openWorkspace,
	}
	none := &workspace.Snapshot{
		Config: config.Load(config.Sources{}), Catalog: catalog.Empty(), Rules: permission.NewRules(nil),
	}
	first := &Snapshot{View: analysis.View{Docs: map[string]*analysis.Document{}, Workspace: none}}
	first.setClient(&clientCapabilities{Client: analysis.Client{Encoding: protocol.PositionEncodingKindUTF16}})
	s.session = newSession(first)
	s.publisher = publisher{
		seed: maphash.MakeSeed(), sent: map[string]published{},
		catalog: none.Catalog, rules: none.Rules, workspace: none,
	}
	if o.openForTest != nil {
		s.open = o.openForTest
	}
	return s
}

// codec marshals payloads with the protocol package's union-aware encoding, and
// with URIs as the client writes them.
type codec struct{ spelled *spellings }

func (c codec) Marshal(v any) ([]byte, error) {
	if d, ok := v.(*Description); ok { // which names no document
		return rawjson.Marshal(d, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	payload, err := protocol.Marshal(v)
	if err != nil {
		return nil, err
	}
	return c.spelled.restore(payload), nil
}

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }
