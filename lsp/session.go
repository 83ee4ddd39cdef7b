package lsp

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"codemode-ls/analysis"

	"go.lsp.dev/uri"
)

// A Snapshot is everything the server knew at one moment. It never changes: a
// request works on the snapshot it was sent against, however long it takes.
type Snapshot struct {
	ID uint64
	analysis.View
	// Client is what the client said at initialize; never nil.
	Client *clientCapabilities
}

// setClient sets what is known about the client.
func (s *Snapshot) setClient(c *clientCapabilities) {
	s.Client, s.View.Client = c, &c.Client
}

// document is the open document with that URI; an error for the client when
// it is not open.
func (s *Snapshot) document(u uri.URI) (*analysis.Document, error) {
	if d, ok := s.Docs[string(u)]; ok {
		if d.Unreadable != "" {
			return nil, badParams("%s is out of step with the editor: %s; close it and open it again", u, d.Unreadable)
		}
		return d, nil
	}
	if u == "" {
		return nil, badParams("textDocument.uri is missing")
	}
	return nil, badParams("%s is not open", u)
}

// A Session owns the current snapshot.
type Session struct {
	mu      sync.Mutex // held while making the next snapshot
	current atomic.Pointer[Snapshot]
	changed chan struct{} // capacity 1: wakes Watch
}

func newSession(first *Snapshot) *Session {
	s := &Session{changed: make(chan struct{}, 1)}
	s.current.Store(first)
	return s
}

// Snapshot is the present state of the world.
func (s *Session) Snapshot() *Snapshot { return s.current.Load() }

// Edit makes the next snapshot from the current one. change receives a copy
// whose fields it may replace, but not modify in place. It is the only way in
// which state changes, so its callers are the list of all that can happen.
func (s *Session) Edit(change func(next *Snapshot)) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := *s.current.Load()
	next.ID++
	change(&next)
	s.current.Store(&next)
	s.wake()
	return &next
}

// setDocument records a version of an open document.
func (s *Session) setDocument(d *analysis.Document) *Snapshot {
	return s.Edit(func(next *Snapshot) {
		next.Docs = maps.Clone(next.Docs)
		next.Docs[d.URI] = d
	})
}

// removeDocument forgets a closed one.
func (s *Session) removeDocument(uri string) *Snapshot {
	return s.Edit(func(next *Snapshot) {
		next.Docs = maps.Clone(next.Docs)
		delete(next.Docs, uri)
		if _, ok := next.LastRuns[uri]; ok {
			next.LastRuns = maps.Clone(next.LastRuns)
			delete(next.LastRuns, uri)
		}
	})
}

// wake makes Watch work again although nothing that it can see has changed.
func (s *Session) wake() {
	select {
	case s.changed <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Watch calls work with the newest snapshot once edits have paused for quiet,
// until ctx ends. A newer edit cancels the work in progress; whatever was left
// undone by that is done by the next call, because edits always lead to one.
//
// Where edits never pause, because somebody types without end or scripts run one
// after another, work is called all the same now and then, and edits let it finish.
func (s *Session) Watch(ctx context.Context, quiet time.Duration, work func(context.Context, *Snapshot)) {
	const patience = 8 // times quiet
	pause := time.NewTimer(quiet)
	pause.Stop()
	stop := func() {}
	defer func() { stop() }()
	var first time.Time // when what is not yet worked on began
	overdue := false    // the work in progress had to wait too long
	for {
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-s.changed:
			if !overdue {
				stop()
			}
			if first.IsZero() {
				first = time.Now()
			}
			pause.Reset(max(0, min(quiet, time.Until(first.Add(patience*quiet)))))
		case <-pause.C:
			stop() // the last one has ended or is of an older snapshot
			overdue = time.Since(first) >= patience*quiet
			first = time.Time{}
			stop = start(ctx, func(ctx context.Context) { work(ctx, s.Snapshot()) })
		}
	}
}

// start runs work in the background. The function it returns cancels work and
// waits for it to finish.
func start(ctx context.Context, work func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
