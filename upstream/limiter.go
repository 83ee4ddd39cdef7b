package upstream

import (
	"sync"
	"time"
)

// A limiter lets so many things pass at once, and one more in each interval.
type limiter struct {
	burst int
	every time.Duration

	mu      sync.Mutex
	used    int
	last    time.Time
	refused int
}

// allow reports whether one more may pass.
func (l *limiter) allow() bool {
	ok, _ := l.pass()
	return ok
}

// pass reports whether one more may pass, and how many could not since the last that
// could.
func (l *limiter) pass() (ok bool, refused int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if back := int(now.Sub(l.last) / l.every); back > 0 {
		l.used, l.last = max(0, l.used-back), now
	}
	if l.used >= l.burst {
		l.refused++
		return false, 0
	}
	l.used++
	refused, l.refused = l.refused, 0
	return true, refused
}
