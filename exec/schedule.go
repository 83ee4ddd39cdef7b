package exec

import (
	"context"
	"slices"
	"sync"
	"time"

	"codemode-ls/catalog"
)

// A class says with what a call may overlap (SCHED-1).
type class int

const (
	serial    class = iota // one after the other per server
	together               // with any that is not alone
	exclusive              // alone
)

// classOf follows a tool's annotations. MCP takes a missing destructiveHint for
// true; here only an explicit one counts, or nearly every tool would run alone.
func classOf(a catalog.Annotations) class {
	said := func(b *bool) bool { return b != nil && *b }
	switch {
	case said(a.Destructive):
		return exclusive
	case said(a.ReadOnly), said(a.Idempotent):
		return together
	}
	return serial
}

// A schedule lets the calls of one run start in the order in which the script
// made them, as their classes and the cap allow (SCHED-1). A call that has to
// wait makes those behind it wait too: order of start is order of call.
type schedule struct {
	cap int

	mu      sync.Mutex // guards what follows
	waiting []*slot    // by order
	running map[*slot]bool
	// launching has started, and its request has no place in the stream to its
	// server yet. The next one waits for that: woken together, they would overtake
	// each other.
	launching *slot
}

// A slot is one call's place in the schedule.
type slot struct {
	order  int
	class  class
	server string
	ready  chan struct{} // closed when the call may start
	// When it came into line and when it might start; guarded by the schedule's mu.
	entered, started time.Time
}

// enter puts a call in line and reports whether it may start at once. wait, launched
// and leave must follow.
func (s *schedule) enter(l *slot) (started bool) {
	l.ready, l.entered = make(chan struct{}), time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = map[*slot]bool{}
	}
	at, _ := slices.BinarySearchFunc(s.waiting, l, func(a, b *slot) int { return a.order - b.order })
	s.waiting = slices.Insert(s.waiting, at, l)
	s.start()
	return s.running[l]
}

// wait waits for the call's turn. leave must follow, whatever it returns.
func (s *schedule) wait(ctx context.Context, l *slot) error {
	select {
	case <-l.ready:
		return nil
	default:
	}
	select {
	case <-l.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waited is how long a call has been in line, up to now or until it might start.
func (s *schedule) waited(l *slot) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.started.IsZero() {
		return time.Since(l.entered)
	}
	return l.started.Sub(l.entered)
}

// launched says that the request of a call that may start cannot be overtaken
// any more. Only the first time counts.
func (s *schedule) launched(l *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.launching == l {
		s.launching = nil
		s.start()
	}
}

// leave ends a call's place, whether it had started or not.
func (s *schedule) leave(l *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, l)
	if s.launching == l {
		s.launching = nil
	}
	if i := slices.Index(s.waiting, l); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.start()
}

// start starts the first in line if it may start. s.mu is held.
func (s *schedule) start() {
	if s.launching != nil || len(s.waiting) == 0 || !s.fits(s.waiting[0]) {
		return
	}
	l := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.running[l] = true
	s.launching = l
	l.started = time.Now()
	close(l.ready)
}

// fits reports whether a call may overlap with everything that runs.
func (s *schedule) fits(l *slot) bool {
	if len(s.running) >= s.cap || l.class == exclusive && len(s.running) > 0 {
		return false
	}
	for other := range s.running {
		if other.class == exclusive || l.class == serial && other.class == serial && l.server == other.server {
			return false
		}
	}
	return true
}

// A sequence lets the calls of a run through one by one in the order in which
// the script made them, whatever their goroutines do: records, questions and
// places in the schedule are the same in every run (RES-4, PERM-8).
type sequence struct {
	mu      sync.Mutex
	next    int
	waiting map[int]chan struct{}
}

// wait waits until every earlier call has gone through. It waits also when the run
// has ended: which calls are recorded must not depend on how far they had come by
// then (EXEC-14), and none takes long to go through.
func (s *sequence) wait(n int) {
	s.mu.Lock()
	if n <= s.next {
		s.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	if s.waiting == nil {
		s.waiting = map[int]chan struct{}{}
	}
	s.waiting[n] = turn
	s.mu.Unlock()
	<-turn
}

// done lets the call after n through.
func (s *sequence) done(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = max(s.next, n+1)
	if turn, ok := s.waiting[s.next]; ok {
		delete(s.waiting, s.next)
		close(turn)
	}
}
