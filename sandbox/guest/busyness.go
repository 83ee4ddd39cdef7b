package guest

import (
	"sync/atomic"
	"time"
)

// busyness is for how long a script has computed, calls in flight or not. A
// script that waits for nothing must not be given the time for which the wall
// clock stands still while its calls wait in line (BUD-1, BUD-6). One goroutine
// pauses and resumes.
type busyness struct {
	began time.Time    // when the world was made
	since atomic.Int64 // in ns since then; 0 while paused
	total atomic.Int64 // in ns, up to the last pause
}

func (b *busyness) resume() { b.since.Store(int64(time.Since(b.began))) }

func (b *busyness) pause() { b.total.Add(int64(time.Since(b.began)) - b.since.Swap(0)) }

// read is the time so far.
func (b *busyness) read() time.Duration {
	total := b.total.Load()
	if since := b.since.Load(); since > 0 {
		total += int64(time.Since(b.began)) - since
	}
	return time.Duration(total)
}
