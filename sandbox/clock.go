package sandbox

import (
	"sync"
	"time"
)

// Clock measures a run's wall time and can be held (BUD-6). It is safe for
// concurrent use; holds nest.
type Clock struct {
	mu      sync.Mutex
	started time.Time
	holds   int       // of any reason
	since   time.Time // when holds became 1
	stood   time.Duration
	reasons [2]held
	changed chan struct{} // closed and replaced when the clock stops or goes on
}

type held struct {
	holds int
	since time.Time
	total time.Duration
}

// Reason says why a clock is held.
type Reason int

const (
	ForPermission Reason = iota // a person is being asked
	ForQueue                    // the host's own queue
)

// NewClock starts a clock.
func NewClock() *Clock { return &Clock{started: time.Now(), changed: make(chan struct{})} }

// Hold stops the clock until release is called; release is idempotent.
func (c *Clock) Hold(r Reason) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.holds++; c.holds == 1 {
		c.since = now
		c.notify()
	}
	h := &c.reasons[r]
	if h.holds++; h.holds == 1 {
		h.since = now
	}
	var once sync.Once
	return func() { once.Do(func() { c.release(r) }) }
}

func (c *Clock) release(r Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	h := &c.reasons[r]
	if h.holds--; h.holds == 0 {
		h.total += now.Sub(h.since)
	}
	if c.holds--; c.holds == 0 {
		c.stood += now.Sub(c.since)
		c.notify()
	}
}

func (c *Clock) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Held is how long the clock was held for r so far.
func (c *Clock) Held(r Reason) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.reasons[r]
	if h.holds > 0 {
		return h.total + time.Since(h.since)
	}
	return h.total
}

// Elapsed is how long the clock ran, without the times it was held.
func (c *Clock) Elapsed() time.Duration {
	elapsed, _, _ := c.read()
	return elapsed
}

// read is the clock's state at one moment. changed is closed when it is held or
// goes on.
func (c *Clock) read() (elapsed time.Duration, isHeld bool, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	elapsed = now.Sub(c.started) - c.stood
	if c.holds > 0 {
		elapsed -= now.Sub(c.since)
	}
	return elapsed, c.holds > 0, c.changed
}

// activity measures the time in which no call is in flight (BUD-6).
type activity struct {
	mu      sync.Mutex
	calls   int
	since   time.Time // when calls became 0
	total   time.Duration
	changed chan struct{}
}

func newActivity() *activity { return &activity{since: time.Now(), changed: make(chan struct{})} }

// add counts calls that begin (1) or end (-1).
func (a *activity) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.calls
	a.calls += n
	switch {
	case was == 0 && a.calls > 0:
		a.total += time.Since(a.since)
	case was > 0 && a.calls == 0:
		a.since = time.Now()
	default:
		return
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *activity) read() (elapsed time.Duration, isHeld bool, changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls > 0 {
		return a.total, true, a.changed
	}
	return a.total + time.Since(a.since), false, a.changed
}
