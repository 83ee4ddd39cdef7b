// Package growth lets tests prove that a text, a list or a file of a hostile size
// takes no longer than its size says, on a machine of any speed and load.
package growth

import (
	"math"
	"testing"
	"time"
)

const (
	times   = 8  // how many times larger the large one is
	most    = 24 // how many times longer it may take; 64 is quadratic
	repeats = 5  // something else may have had the processor for a while
	enlarge = 64 // how many times larger than asked the work may be
	// enough is what the small one should take: shorter times measure the machine.
	enough = 4 * time.Millisecond
)

// Linear runs work of the size n and of an eighth of it, and fails when the time
// grows as no linear work's does. A size that takes no time is enlarged.
func Linear(t testing.TB, what string, n int, work func(n int)) {
	t.Helper()
	for asked := n; n < enlarge*asked && duration(work, n/times) < enough; n *= 2 {
	}
	few, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range repeats {
		few, many = min(few, duration(work, n/times)), min(many, duration(work, n))
		if many/most < few {
			return
		}
	}
	t.Errorf("%s: %d took %v, %d took %v", what, n/times, few, n, many)
}

func duration(work func(int), n int) time.Duration {
	began := time.Now()
	work(n)
	return time.Since(began)
}
