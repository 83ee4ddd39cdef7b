package lsp

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// How a connection's context ends.
var (
	errExit       = errors.New("the client said exit")
	errParentGone = errors.New("the process that started the client's session is gone")
)

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
	e, known := s.endpoints[method]
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
