package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/exec"
	"codemode-ls/internal/rendezvous"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Limits of the connections of agents.
const (
	maxAgents        = 32
	maxAgentMessage  = 16 << 20
	maxAgentRequests = 256
	takeOverEvery    = 2 * time.Second
)

// serveAgents lets gateways of this user join the session (GATE-3): a connection of an agent may
// run scripts and ask what there is; rules, approvals and configuration are out of its reach.
func (s *Server) serveAgents(ctx context.Context, w opened) {
	s.mu.Lock()
	folders := s.folders
	s.mu.Unlock()
	if !s.o.Agents || s.o.Workspace.Restricted || len(folders) == 0 {
		return
	}
	look := time.NewTicker(takeOverEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		if w.Snapshot().Config.JoinAgents {
			l, err := rendezvous.Listen(folders[0])
			switch {
			case err == nil:
				s.acceptAgents(ctx, w, l)
			case !errors.Is(err, rendezvous.ErrTaken):
				s.log.Warn("agents cannot join this editor", "err", err)
				return
			}
		}
		select { // another editor may close, or the setting change
		case <-ctx.Done():
		case <-look.C:
		}
	}
}

// acceptAgents serves connections until ctx ends or the setting says no.
func (s *Server) acceptAgents(ctx context.Context, w opened, l net.Listener) {
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	defer serving.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	serving.Go(func() {
		look := time.NewTicker(takeOverEvery)
		defer look.Stop()
		for w.Snapshot().Config.JoinAgents {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
		}
		cancel()
	})
	slots := make(chan struct{}, maxAgents)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		serving.Go(func() {
			defer func() { <-slots }()
			defer s.survive("the connection of an agent")
			(&agentConn{s: s, conn: conn, running: map[string]context.CancelFunc{}}).serve(ctx)
		})
	}
}

// agentConn is the connection of one gateway: a message is a line of JSON.
type agentConn struct {
	s    *Server
	conn net.Conn

	writing sync.Mutex

	mu      sync.Mutex
	running map[string]context.CancelFunc // by request id
}

// agentMessage is a request or notification of a gateway, or an answer or notification to it.
type agentMessage struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitzero"`
	Agent  *AgentCaller   `json:"agent,omitzero"`
	Result jsontext.Value `json:"result,omitzero"`
	Error  *agentError    `json:"error,omitzero"`
}

type agentError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// agentEvent is what a gateway receives about a run that it started.
type agentEvent struct {
	Request jsontext.Value `json:"request"`
	Event   exec.Event     `json:"event"`
}

func (c *agentConn) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var requests sync.WaitGroup
	defer requests.Wait()
	defer cancel() // what an agent started ends with its connection
	defer c.conn.Close()
	defer context.AfterFunc(ctx, func() { c.conn.Close() })()
	changed, stop := c.s.onPoolChange()
	defer stop()
	requests.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
				c.write(agentMessage{Method: NoticeCatalogChanged})
			}
		}
	})
	slots := make(chan struct{}, maxAgentRequests)
	lines := bufio.NewScanner(c.conn)
	lines.Buffer(nil, maxAgentMessage)
	for lines.Scan() {
		var m agentMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return // it is no gateway
		}
		m.Params, m.ID = m.Params.Clone(), m.ID.Clone()
		if m.Method == protocol.MethodCancelRequest {
			c.cancelRequest(m.Params)
			continue
		}
		session := ctx
		ctx, cancel := context.WithCancel(session)
		c.mu.Lock()
		c.running[string(m.ID)] = cancel
		c.mu.Unlock()
		slots <- struct{}{}
		requests.Go(func() {
			defer func() { <-slots }()
			answer := c.answer(ctx, m)
			if answer.Error == nil || session.Err() == nil { // else the gateway sees that the editor has closed
				c.write(answer)
			}
			c.mu.Lock()
			delete(c.running, string(m.ID))
			c.mu.Unlock()
			cancel()
		})
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		c.s.log.Debug("the connection of an agent has ended", "err", err)
	}
}

func (c *agentConn) cancelRequest(params jsontext.Value) {
	var p struct {
		ID jsontext.Value `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[string(p.ID)]; cancel != nil {
		cancel()
	}
}

func (c *agentConn) write(m agentMessage) {
	line, err := json.Marshal(m)
	if err != nil {
		c.s.log.Error("an answer to an agent cannot be written", "err", err)
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Minute))
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		c.conn.Close() // reading notices
	}
}

// answer answers one request: these methods, and no others.
func (c *agentConn) answer(ctx context.Context, m agentMessage) (answer agentMessage) {
	answer.ID = m.ID
	defer func() {
		if p := recover(); p != nil {
			c.s.log.Error("panic in an agent's request", "method", m.Method, "panic", p)
			answer = agentMessage{ID: m.ID, Error: &agentError{Code: int(jsonrpc2.InternalError), Message: "internal error in " + m.Method}}
		}
	}()
	name, session := "", ""
	if m.Agent != nil {
		name, session = analysis.Plain(m.Agent.Name, 60), "agent:"+m.Agent.Session
	}
	if name == "" {
		name = "an agent without a name"
	}
	ctx = context.WithValue(ctx, agentKey{}, &agentRun{name: name, event: func(e exec.Event) {
		if params, err := json.Marshal(agentEvent{Request: m.ID, Event: e}); err == nil {
			c.write(agentMessage{Method: NoticeExecEvent, Params: params})
		}
	}})
	snap := c.s.session.Snapshot()
	var result any
	var err error
	switch m.Method {
	case MethodExec:
		var p struct {
			Code string `json:"code"`
		}
		if err = json.Unmarshal(m.Params, &p); err == nil {
			result, err = c.s.exec(ctx, snap, &ExecParams{Code: &p.Code, SessionID: session})
		}
	case MethodCallTool:
		var p CallToolParams
		if err = json.Unmarshal(m.Params, &p); err == nil {
			p.SessionID, p.WorkDoneToken = session, nil
			result, err = c.s.callTool(ctx, snap, &p)
		}
	case MethodCatalog:
		result, err = agentQuery(ctx, c.s.catalog, snap, m.Params)
	case MethodDeclarations:
		result, err = agentQuery(ctx, c.s.declarations, snap, m.Params)
	case MethodAnnounce:
		result, err = agentQuery(ctx, c.s.announce, snap, m.Params)
	case MethodSearch:
		result, err = agentQuery(ctx, c.s.search, snap, m.Params)
	case MethodDescribe:
		result, err = agentQuery(ctx, c.s.describe, snap, m.Params)
	default:
		err = jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is not for agents", m.Method)
	}
	if err == nil {
		answer.Result, err = json.Marshal(result)
	}
	if err != nil {
		code := jsonrpc2.InternalError
		var wire *jsonrpc2.Error
		if errors.As(err, &wire) {
			code = wire.Code
		}
		answer.Result, answer.Error = nil, &agentError{Code: int(code), Message: err.Error()}
	}
	return answer
}

// agentQuery answers a request that asks what there is.
func agentQuery[P, R any](ctx context.Context, fn func(context.Context, *Snapshot, *P) (R, error), snap *Snapshot, raw jsontext.Value) (R, error) {
	params := new(P)
	var none R
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, params); err != nil {
			return none, fmt.Errorf("the parameters are not understood: %w", err)
		}
	}
	return fn(ctx, snap, params)
}

// onPoolChange gives a channel, of capacity 1, that receives after each change of the pool.
func (s *Server) onPoolChange() (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poolWatchers == nil {
		s.poolWatchers = map[chan struct{}]bool{}
	}
	s.poolWatchers[c] = true
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.poolWatchers, c)
	}
}

// notifyPoolWatchers wakes the watchers when the pool has changed, or the scripts that are
// tools.
func (s *Server) notifyPoolWatchers(_ context.Context, old, next *workspace.Snapshot) {
	if old.Catalog.Hash() == next.Catalog.Hash() && slices.Equal(old.Scripts, next.Scripts) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.poolWatchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
