package lsp

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/analysis"
)

func TestWatchCoalesces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(&Snapshot{View: analysis.View{Docs: map[string]*analysis.Document{}}})
		ctx, cancel := context.WithCancel(t.Context())
		var runs atomic.Int32
		var last atomic.Uint64
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Watch(ctx, quiet, func(_ context.Context, snap *Snapshot) {
				runs.Add(1)
				last.Store(snap.ID)
			})
		}()
		for i := range 100 {
			s.setDocument(analysis.NewDocument("file:///a.exec.ts", int32(i), "", "x", ""))
			time.Sleep(10 * time.Millisecond) // the bubble's time
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if runs.Load() != 1 || last.Load() != 100 {
			t.Errorf("%d runs, the last on snapshot %d; want one, on 100", runs.Load(), last.Load())
		}
		cancel()
		<-done
	})
}

// Edits without a pause do not keep work from being done: it is called all the
// same, and they let it finish.
func TestWatchUnderEndlessEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(&Snapshot{View: analysis.View{Docs: map[string]*analysis.Document{}}})
		ctx, cancel := context.WithCancel(t.Context())
		var finished atomic.Int32
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Watch(ctx, quiet, func(ctx context.Context, snap *Snapshot) {
				select {
				case <-ctx.Done():
				case <-time.After(quiet):
					finished.Add(1)
				}
			})
		}()
		for range 200 {
			s.Edit(func(*Snapshot) {})
			time.Sleep(50 * time.Millisecond) // the bubble's time
		}
		if n := finished.Load(); n < 5 || n > 10 {
			t.Errorf("work finished %d times in ten seconds", n)
		}
		cancel()
		<-done
	})
}

// A newer edit cancels the work in progress, and leads to new work.
func TestWatchNewestWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(&Snapshot{View: analysis.View{Docs: map[string]*analysis.Document{}}})
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled, finished atomic.Int32
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Watch(ctx, quiet, func(ctx context.Context, snap *Snapshot) {
				select {
				case <-ctx.Done():
					cancelled.Add(1)
				case <-time.After(time.Second):
					finished.Add(1)
				}
			})
		}()
		s.Edit(func(*Snapshot) {})
		time.Sleep(500 * time.Millisecond) // the work has begun
		s.Edit(func(*Snapshot) {})
		time.Sleep(10 * time.Second)
		if cancelled.Load() != 1 || finished.Load() != 1 {
			t.Errorf("%d cancelled, %d finished", cancelled.Load(), finished.Load())
		}
		s.Edit(func(*Snapshot) {})
		time.Sleep(500 * time.Millisecond)
		cancel()
		<-done // Watch waits for its work
		if cancelled.Load() != 2 {
			t.Errorf("the work outlived Watch")
		}
	})
}

// A snapshot does not change when the next is made.
func TestSnapshotIsFixed(t *testing.T) {
	s := newSession(&Snapshot{View: analysis.View{Docs: map[string]*analysis.Document{}}})
	a := s.setDocument(analysis.NewDocument("a", 1, "", "1", ""))
	b := s.setDocument(analysis.NewDocument("a", 2, "", "2", ""))
	c := s.removeDocument("a")
	if a.Docs["a"].Text != "1" || b.Docs["a"].Text != "2" || len(c.Docs) != 0 {
		t.Errorf("%v %v %v", a.Docs, b.Docs, c.Docs)
	}
	if a.ID >= b.ID || b.ID >= c.ID {
		t.Errorf("ids %d %d %d", a.ID, b.ID, c.ID)
	}
}
