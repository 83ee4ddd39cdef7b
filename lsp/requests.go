package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// How one request's context ends.
var (
	errCancelled = errors.New("cancelled by the client")
	errStale     = errors.New("the document was edited")
)

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
