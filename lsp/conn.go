package lsp

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"codemode-ls/internal/rawjson"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// How a connection's context ends.
var (
	errExit       = errors.New("the client said exit")
	errParentGone = errors.New("the process that started the client's session is gone")
)

// How one request's context ends.
var (
	errCancelled = errors.New("cancelled by the client")
	errStale     = errors.New("the document was edited")
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

// await waits for done, at most d.
func await(d time.Duration, done <-chan struct{}, late func()) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		late()
	}
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

// Preempt observes $/cancelRequest on the read loop, ahead of everything that is
// queued behind it. Ids that no request can have are ignored.
func (s *Server) Preempt(_ context.Context, req *jsonrpc2.Request) (any, error) {
	if req.Method() != protocol.MethodCancelRequest {
		return nil, jsonrpc2.ErrNotHandled
	}
	var params struct {
		ID protocol.LSPAny `json:"id"`
	}
	if protocol.Unmarshal(req.Params(), &params) == nil {
		if id, ok := readID(params.ID); ok && id.IsValid() {
			s.cancelRequest(id, errCancelled)
		}
	}
	return struct{}{}, nil
}

// handle routes one message. It is the single place where panics are caught,
// errors get their codes on the wire, and failures of notifications are
// absorbed: jsonrpc2 would end the connection for any of them.
func (s *Server) handle(rctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	method, isCall := strings.Clone(req.Method()), req.IsCall()
	// Not derived from rctx: jsonrpc2 uses that one again for the next request,
	// while the context package may still look at it.
	ctx := s.ctx
	m := &incoming{Request: req, params: lenient(req.Params()), release: func() { jsonrpc2.Async(rctx) }}
	if isCall {
		var done func()
		ctx, done = s.track(m, req.ID())
		defer done()
	}
	start := time.Now()
	defer func() {
		if r := recover(); r != nil {
			s.log.ErrorContext(ctx, "panic", "method", method, "panic", r, "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s; the server's log has the details", method)
		}
		s.log.DebugContext(ctx, "answered", "method", method, "took", time.Since(start), "err", err)
		if err != nil && !isCall {
			s.log.WarnContext(ctx, "notification failed", "method", method, "err", err)
			err = nil
		}
		result, err = onWire(ctx, result, err)
	}()
	e, known := endpoints[method]
	if err := s.gate(method, isCall); err != nil {
		if !isCall {
			return nil, nil
		}
		return nil, err
	}
	if !known {
		if !isCall {
			return nil, nil
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%s is not supported", method)
	}
	return e(s, ctx, m)
}

// gate says what the state of the connection forbids.
func (s *Server) gate(method string, isCall bool) error {
	if method == protocol.MethodExit {
		return nil
	}
	switch s.state.Load() {
	case stateNew:
		if method != protocol.MethodInitialize || !isCall {
			return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s came before initialize", method)
		}
	case stateShutDown:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s came after shutdown", method)
	}
	return nil
}

// onWire gives an error its code. The result of a request that was cancelled or
// made useless is not sent; that of a cancelled run is kept (codemode/run).
func onWire(ctx context.Context, result any, err error) (any, error) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStale):
		return nil, protocol.ErrContentModified
	case errors.Is(cause, errCancelled):
		return nil, protocol.ErrRequestCancelled
	case err == nil:
		return result, nil
	}
	var coded *jsonrpc2.Error
	switch {
	case errors.As(err, &coded):
		return nil, coded
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, protocol.ErrRequestCancelled
	default:
		return nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%v", err)
	}
}

// An incoming message, while it is handled. A request can be cancelled by its
// id, or by an edit of the document that it is about.
type incoming struct {
	*jsonrpc2.Request
	params []byte // as lenient has them
	// release lets the read loop go on; the handler continues beside it.
	release func()
	cancel  context.CancelCauseFunc // of a request
	uri     string                  // guarded by Server.mu; "": no edit makes its answer useless
}

// track makes a request cancellable until done is called.
func (s *Server) track(m *incoming, id jsonrpc2.ID) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	m.cancel = cancel
	s.mu.Lock()
	s.requests[id] = m
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		if s.requests[id] == m { // a client may use an id again too early
			delete(s.requests, id)
		}
		s.mu.Unlock()
		cancel(nil)
	}
}

// expireOnEdit makes an edit of the document end the request (LSP-4).
func (s *Server) expireOnEdit(m *incoming, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.uri = uri
}

func (s *Server) cancelRequest(id jsonrpc2.ID, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.requests[id]; ok {
		r.cancel(cause)
	}
}

// expire ends the requests whose answers an edit of a document makes useless.
func (s *Server) expire(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.uri == uri {
			r.cancel(errStale)
		}
	}
}
