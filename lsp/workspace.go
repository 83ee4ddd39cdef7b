package lsp

import (
	"context"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

// opened waits until the workspace is open: a request may come before.
func (s *Server) opened(ctx context.Context) (opened, error) {
	select {
	case <-s.ready:
		return s.workspace, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// runnable is opened for what runs scripts or calls tools, which a restricted
// workspace refuses (VSC-7).
func (s *Server) runnable(ctx context.Context) (opened, error) {
	if s.o.Workspace.Restricted {
		return nil, failure(CodeRestricted, "this workspace is not trusted, so no script runs and no tool is called in it")
	}
	return s.opened(ctx)
}

// withPool is snap, or the newest snapshot when snap is from before the
// workspace was open and has no pool.
func (s *Server) withPool(ctx context.Context, snap *Snapshot) (*Snapshot, error) {
	if snap.Opened {
		return snap, nil
	}
	if _, err := s.opened(ctx); err != nil {
		return nil, err
	}
	return s.session.Snapshot(), nil
}

// startPatience is how long a run, or direct calls, wait before they begin for
// servers that connect. A server that takes longer is waited for by the calls of its
// own tools alone, in the time of their run (MCP-5).
const startPatience = 5 * time.Second

// awaitTools waits for the servers of the tools with these names, as far as they
// are still connecting: what is known of them from last time must not be called
// (LSP-1), and a tool is not unknown because its server is slow.
func (s *Server) awaitTools(ctx context.Context, names map[string]bool) error {
	patient, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if s.awaitNamed(patient, names) != nil {
		return ctx.Err()
	}
	return nil
}

// usedTools are the names that a script uses.
func usedTools(doc *analysis.Document) map[string]bool {
	names := map[string]bool{}
	for _, u := range doc.Source.Uses() {
		names[u.Name] = true
	}
	return names
}

// awaitNamed is awaitTools for as long as ctx lasts.
func (s *Server) awaitNamed(ctx context.Context, names map[string]bool) error {
	for {
		s.mu.Lock()
		updated := s.updated
		s.mu.Unlock()
		if !waitsFor(s.session.Snapshot().Workspace, names) {
			return nil
		}
		select {
		case <-updated:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitsFor reports whether one of the names belongs to a server that is connecting.
func waitsFor(w *workspace.Snapshot, names map[string]bool) bool {
	for _, v := range w.Servers {
		for name := range names {
			if v.State == upstream.Connecting && catalog.CanOwn(v.Server.Name, name) {
				return true
			}
		}
	}
	return false
}

// update makes the workspace's present state the server's: engine and file first,
// so that nothing is checked on the new snapshot against old declarations.
func (s *Server) update(ctx context.Context, w opened) {
	s.updating.Lock()
	defer s.updating.Unlock()
	next := w.Snapshot()
	old := s.session.Snapshot()
	uri := old.DeclarationsURI
	file := next.Catalog.Declarations()
	if uri == "" || file.Hash != old.Workspace.Catalog.Declarations().Hash {
		if s.engine != nil {
			s.engine.SetDeclarations(file.Views())
		}
		var err error
		if uri, err = s.writeDeclarations(file.Text); err != nil {
			s.log.Warn("declarations not written", "err", err)
		}
	}
	s.session.Edit(func(n *Snapshot) { n.Workspace, n.DeclarationsURI, n.Opened = next, uri, true })
	s.mu.Lock()
	close(s.updated)
	s.updated = make(chan struct{})
	s.mu.Unlock()
	for _, o := range s.observers {
		o(s, ctx, old.Workspace, next)
	}
}

// beginClose ends runs, servers and the engine in the background; close waits
// for that.
func (s *Server) beginClose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.closing = true
	w, engine := s.workspace, s.engine
	go func() {
		defer close(s.ended)
		defer s.survive("closing")
		if w != nil {
			w.Close()
		}
		if engine != nil {
			engine.Shutdown()
		}
	}()
}

// close ends and waits for all that the server has started.
func (s *Server) close() {
	s.beginClose()
	<-s.ended
	s.running.Wait()
}

// quiet is how long edits must pause before open scripts are checked.
const quiet = 150 * time.Millisecond
