package lsp

import (
	"context"
	"hash/maphash"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/internal/redact"
	"codemode-ls/permission"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// The states of a connection, in order.
const (
	stateNew int32 = iota
	stateRunning
	stateShutDown
)

// A Server is one connection with one client. Its methods are in one file per
// feature; methods.go says which method of the protocol is answered by which.
type Server struct {
	o        Options
	log      *slog.Logger
	recent   *recentLog // what log was told last
	toClient *clientLog
	session  *Session
	spelled  spellings
	// engine is the TypeScript engine; nil when this server has none. Set once, at
	// initialize, before any request that can use it.
	engine *typescript.Engine

	conn   jsonrpc2.Conn
	client protocol.Client // requests and notifications to the client
	// ctx ends with the connection; hangup ends it, and says why.
	ctx    context.Context
	hangup context.CancelCauseFunc
	state  atomic.Int32
	ids    atomic.Int64
	begun  atomic.Bool // `initialized` has come
	// unchecked says that the engine did not answer for an open script.
	unchecked atomic.Bool
	ready     chan struct{} // closed when workspace is open
	// recalled is closed, before ready, when workspace is set and has the tools of
	// last time.
	recalled chan struct{}

	// Wake-ups, each of capacity 1.
	workspaceChanged, settingsChanged, approvalsPending, signInsPending, statesChanged chan struct{}

	states   callStates
	breakage breakage
	tokens   shownTokens

	publisher publisher // of the goroutine that Watch runs

	// open opens the workspace; tests have their own.
	open func(context.Context, workspace.Options) opened

	running sync.WaitGroup // the goroutines that close waits for
	ended   chan struct{}  // closed when workspace and engine have ended

	taking       sync.Mutex      // held while a snapshot of the workspace is taken
	toldFindings map[string]bool // what was said of the settings; guarded by taking

	inputsMu sync.Mutex
	inputs   map[inputKey]string // answers of this session; guarded by inputsMu

	mu sync.Mutex // guards all below
	// workspace is set once, before ready is closed.
	workspace    opened
	closing      bool
	requests     map[jsonrpc2.ID]*incoming
	folders      []string // never changed in place
	settings     settings
	progressRuns map[string]string // run ids by progress token
	runsNow      map[string]string // URIs by run id
	poolWatchers map[chan struct{}]bool
	taken        chan struct{} // closed, and made anew, when a snapshot of the workspace was taken
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
		ready: make(chan struct{}), recalled: make(chan struct{}), ended: make(chan struct{}),
		workspaceChanged: make(chan struct{}, 1),
		settingsChanged:  make(chan struct{}, 1),
		approvalsPending: make(chan struct{}, 1), signInsPending: make(chan struct{}, 1),
		statesChanged: make(chan struct{}, 1),
		requests:      map[jsonrpc2.ID]*incoming{},
		progressRuns:  map[string]string{},
		runsNow:       map[string]string{},
		inputs:        map[inputKey]string{},
		toldFindings:  map[string]bool{},
		taken:         make(chan struct{}),
		open:          openWorkspace,
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

// spawn runs work in the background; close waits for it. After the connection
// has begun to close it does nothing.
func (s *Server) spawn(work func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.running.Go(func() {
		defer s.survive("background work")
		work(s.ctx)
	})
}

// survive keeps a panic of background work from ending the session.
func (s *Server) survive(what string) {
	if r := recover(); r != nil {
		s.log.Error("panic", "in", what, "panic", r, "stack", string(debug.Stack()))
	}
}
