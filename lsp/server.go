package lsp

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

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

// An endpoint answers one message. It runs on the read loop, in the order in
// which messages were sent, until it lets the loop go on.
type endpoint func(*Server, context.Context, *incoming) (any, error)

// A command runs with its arguments; what it returns is the request's answer.
type command func(*Server, context.Context, *Snapshot, *protocol.ExecuteCommandParams) (any, error)

// An observer reacts to a change of the workspace. It must not wait for the client.
type observer func(s *Server, ctx context.Context, old, next *workspace.Snapshot)

// A Server is one connection with one client. Its methods are in one file per
// feature; methods.go says which method of the protocol is answered by which.
type Server struct {
	o        Options
	log      *slog.Logger
	recent   *recentLog // the last messages of log
	toClient *clientLog
	session  *Session
	// What the connection answers, and what follows from a change of the workspace.
	// Never changed after newServer.
	endpoints map[string]endpoint
	commands  map[string]command
	observers []observer
	spelled   spellings
	// engine is the TypeScript engine; nil when this server has none. Set once, at
	// initialize, before any request that can use it.
	engine *typescript.Engine

	conn   jsonrpc2.Conn
	client protocol.Client // requests and notifications to the client
	// ctx ends with the connection; hangup ends it, and says why.
	ctx     context.Context
	hangup  context.CancelCauseFunc
	state   atomic.Int32
	ids     atomic.Int64
	started atomic.Bool // `initialized` has come
	// unchecked says that the engine did not answer for an open script.
	unchecked atomic.Bool
	ready     chan struct{} // closed when workspace is open
	// recalled is closed, before ready, when workspace is set and has the tools of
	// last time.
	recalled chan struct{}

	// Wake-ups, each of capacity 1.
	workspaceChanged, settingsChanged, approvalsPending, signInsPending, statesChanged chan struct{}
	// forAgents: somebody has asked what to declare to an agent.
	forAgents atomic.Bool

	states   callStates
	breakage breakage
	tokens   shownTokens

	publisher publisher // of the goroutine that Watch runs

	// open opens the workspace; tests have their own.
	open func(context.Context, workspace.Options) opened

	running sync.WaitGroup // the goroutines that close waits for
	ended   chan struct{}  // closed when workspace and engine have ended

	updating         sync.Mutex      // held while a snapshot of the workspace is made
	reportedFindings map[string]bool // what was reported of the settings; guarded by updating

	inputs inputAnswers

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
	updated      chan struct{} // closed, and replaced, when a snapshot of the workspace was made
}

// spawn runs work in the background; close waits for it. After the connection
// has started to close it does nothing.
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

// notify wakes whoever receives from c; c has capacity 1.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// configurationTime is how long a client may take to answer
// workspace/configuration; then what was known before counts.
const configurationTime = 10 * time.Second

// notify sends a notification of the server's own; a client that cannot be
// reached is gone, which is noticed elsewhere.
func (s *Server) notify(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(ctx, method, params); err != nil && ctx.Err() == nil {
		s.log.Debug("notification not sent", "method", method, "err", err)
	}
}
