package codemodeshim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/microsoft/typescript-go/internal/json"
	"github.com/microsoft/typescript-go/internal/jsonrpc"
	"github.com/microsoft/typescript-go/internal/ls"
	"github.com/microsoft/typescript-go/internal/lsp"
	"github.com/microsoft/typescript-go/internal/lsp/lsproto"
	"github.com/microsoft/typescript-go/internal/project"
)

// The server's table of methods is private, so requests of our own travel through
// it like any other: it does not know the method, and answers so in its turn, after
// it has taken in everything that was sent before. That answer is never written; it
// is the signal to start work. What is sent after the request waits until the work
// holds its snapshot, so that the answer is about the very text that was sent before.

// requests answers our own requests in front of a server.
type requests struct {
	lsp.Reader
	lsp.Writer
	server  *lsp.Server // set before Run
	ctx     context.Context
	methods map[lsproto.Method]prepare

	writing sync.Mutex     // the server's write loop and our own answers
	working sync.WaitGroup // answers under way

	mu   sync.Mutex
	open map[jsonrpc.ID]*request
	last *request // used by the goroutine that reads alone
}

// prepare takes hold of the state that a request is about and returns the work.
type prepare func(ctx context.Context, s *lsp.Server, params []byte) (work func() (any, error), err error)

// request is one request of our own.
type request struct {
	ctx      context.Context
	cancel   context.CancelFunc
	prepared chan struct{} // closed when prepare has returned
	once     sync.Once     // closes prepared
	method   lsproto.Method
	params   []byte
}

// maxHold is how long later messages wait for a request to be prepared. A client
// that writes without reading keeps the server's answer from coming; the version in
// our answer says which text it is about then.
const maxHold = time.Second

// Read hands messages to the server, and takes note of our own requests.
func (q *requests) Read() (*lsproto.Message, error) {
	m, err := q.Reader.Read()
	if err != nil || m.Kind == jsonrpc.MessageKindResponse {
		return m, err
	}
	r := m.AsRequest()
	if r.Method == lsproto.MethodCancelRequest {
		q.cancel(r)
	} else {
		q.hold()
	}
	if q.methods[r.Method] != nil && r.ID != nil {
		n := &request{method: r.Method, prepared: make(chan struct{})}
		n.params, _ = r.Params.(json.Value)
		n.ctx, n.cancel = context.WithCancel(q.ctx)
		q.last = n
		q.mu.Lock()
		q.open[*r.ID] = n
		q.mu.Unlock()
	}
	return m, nil
}

func (q *requests) cancel(r *lsproto.RequestMessage) {
	p, err := lsproto.UnmarshalParams[*lsproto.CancelParams](r)
	if err != nil || p == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := q.open[*lsproto.NewID(p.Id)]; n != nil {
		n.cancel()
	}
}

// hold waits until the last request of our own is prepared. Before the server is
// initialized it would wait for messages that come behind this one.
func (q *requests) hold() {
	if q.last == nil {
		return
	}
	select {
	case <-q.server.InitComplete():
		select {
		case <-q.last.prepared:
		case <-time.After(maxHold):
		case <-q.ctx.Done():
		}
		q.last = nil
	default:
	}
}

// Write writes what the server says, but for its answers to our own requests.
func (q *requests) Write(m *lsproto.Message) error {
	if m.Kind == jsonrpc.MessageKindResponse {
		if id := m.AsResponse().ID; id != nil {
			q.mu.Lock()
			n := q.open[*id]
			q.mu.Unlock()
			if n != nil {
				q.working.Go(func() { q.answer(*id, n) })
				return nil
			}
		}
	}
	return q.write(m)
}

func (q *requests) write(m *lsproto.Message) error {
	q.writing.Lock()
	defer q.writing.Unlock()
	return q.Writer.Write(m)
}

func (q *requests) answer(id jsonrpc.ID, n *request) {
	r := &lsproto.ResponseMessage{ID: &id}
	result, err := q.result(n)
	q.mu.Lock()
	delete(q.open, id)
	q.mu.Unlock()
	n.cancel()
	switch {
	case errors.Is(err, context.Canceled):
		r.Error = &jsonrpc.ResponseError{Code: int32(lsproto.ErrorCodeRequestCancelled), Message: err.Error()}
	case err != nil:
		r.Error = &jsonrpc.ResponseError{Code: int32(lsproto.ErrorCodeInternalError), Message: err.Error()}
	default:
		r.Result = result
	}
	_ = q.write(r.Message()) // the server's own next write fails, too
}

func (q *requests) result(n *request) (result any, err error) {
	prepared := func() { n.once.Do(func() { close(n.prepared) }) }
	defer prepared()
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("%s: panic: %v", n.method, p)
		}
	}()
	select {
	case <-q.server.InitComplete():
	default:
		return nil, lsproto.ErrorCodeServerNotInitialized
	}
	if err := n.ctx.Err(); err != nil {
		return nil, err
	}
	work, err := q.methods[n.method](n.ctx, q.server, n.params)
	prepared()
	if err != nil {
		return nil, err
	}
	return work()
}

// prepareDocument is prepare for a request about one open document, which find answers.
func prepareDocument[T any](
	ctx context.Context, s *lsp.Server, params []byte,
	find func(context.Context, *ls.LanguageService, *project.Snapshot, lsproto.DocumentUri) (T, error),
) (func() (any, error), error) {
	var p struct {
		URI lsproto.DocumentUri `json:"uri"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	var answer T
	work, err := s.Session().WithLanguageServiceAndSnapshot(ctx, p.URI, func(l *ls.LanguageService, snapshot *project.Snapshot) (func() error, error) {
		return func() (err error) {
			answer, err = find(ctx, l, snapshot, p.URI)
			return err
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		err := work() // it must run: it gives the snapshot back
		return answer, err
	}, nil
}
