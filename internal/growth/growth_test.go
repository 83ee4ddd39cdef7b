package growth

import (
	"testing"
	"testing/synctest"
	"time"
)

// failures counts what a test would have complained of.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.n++ }

func TestLinear(t *testing.T) {
	for name, c := range map[string]struct {
		time func(n int) int
		want int
	}{
		"linear":    {func(n int) int { return 5*n + 3 }, 0},
		"quadratic": {func(n int) int { return n * n }, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &failures{TB: t}
			Linear(f, name, 800, func(n int) { time.Sleep(time.Duration(c.time(n))) }) // of the bubble
			if f.n != c.want {
				t.Errorf("%s: %d failures", name, f.n)
			}
		})
	}
}

// A stall of the machine is not taken for the work's.
func TestLinearOnABusyMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, runs := &failures{TB: t}, 0
		Linear(f, "stalled", 800, func(n int) {
			if runs++; runs == 8 { // the first large one
				n *= 1000
			}
			time.Sleep(time.Duration(n)) // of the bubble
		})
		if f.n != 0 {
			t.Errorf("%d failures", f.n)
		}
	})
}
