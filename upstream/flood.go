package upstream

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// What a server may write that nobody asked for, before it is read more slowly:
// notifications, requests, lines that are no messages, standard error. An ordinary
// server is far below.
const (
	floodRate  = 4 << 20  // bytes a second
	floodBurst = 64 << 20 // bytes at once
	floodLine  = 512      // what a message counts at least, for the work that it makes
)

// throttle slows the reading of a server that floods. The pipe between fills, and
// the server waits.
type throttle struct {
	what   string // that it floods, for a message
	notify func() // called once, when it starts to slow

	mu     sync.Mutex
	level  float64 // of burst, used up
	last   time.Time
	slowed time.Duration
}

// take counts n bytes and is the time to wait before going on.
func (t *throttle) take(n int) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.last.IsZero() {
		t.level = max(0, t.level-now.Sub(t.last).Seconds()*floodRate)
	}
	t.last = now
	t.level += float64(n)
	if t.level <= floodBurst {
		return 0
	}
	pause := time.Duration((t.level - floodBurst) / floodRate * float64(time.Second))
	t.slowed += pause
	return pause
}

// pass counts n bytes and waits when there were too many.
func (t *throttle) pass(ctx context.Context, n int) {
	pause := t.take(n)
	if pause < time.Millisecond {
		return // the next one waits for both
	}
	if t.notify != nil {
		t.notify()
		t.notify = nil
	}
	wait(ctx, pause)
}

// note says that the server floods, "" when it does not.
func (t *throttle) note() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.slowed == 0 {
		return ""
	}
	return fmt.Sprintf("it floods its %s, so it is read more slowly (%d MB a second)", t.what, floodRate>>20)
}

// faults are what is wrong with what the server sends, while it works all the same.
func (s *session) faults() (faults []string) {
	if s.wire != nil {
		faults = s.wire.faults()
	}
	if s.spill != nil {
		if flood := s.spill.note(); flood != "" {
			faults = append(faults, flood)
		}
	}
	if s.gate != nil {
		if flood := s.gate.flood.note(); flood != "" {
			faults = append(faults, flood)
		}
	}
	return faults
}

// spill takes a server's standard error as fast as it may come.
type spill struct {
	ring *ring
	ctx  context.Context
	throttle
}

func (s *spill) Write(p []byte) (int, error) {
	s.pass(s.ctx, len(p))
	return s.ring.Write(p)
}

// trimAfter is how long after the last large message memory is given back.
const trimAfter = 5 * time.Second

// memory gives memory back to the system after large messages, which the runtime
// does only after minutes. The zero value is ready; its owner calls stop.
type memory struct {
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (m *memory) trim() {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.stopped:
	case m.timer == nil:
		m.timer = time.AfterFunc(trimAfter, m.giveBack)
	default:
		m.timer.Reset(trimAfter)
	}
}

func (m *memory) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

func (*memory) giveBack() { debug.FreeOSMemory() }
