package sandbox

import "time"

// Clock measures a run's wall time and can be held (BUD-6). It is safe for
// concurrent use; holds nest.
type Clock struct {
	// unexported
}

// Reason says why a clock is held.
type Reason int

const (
	ForPermission Reason = iota // a person is being asked
	ForQueue                    // the host's own queue
)

// NewClock starts a clock.
func NewClock() *Clock { panic("not built") }

// Hold stops the clock until release is called; release is idempotent.
func (c *Clock) Hold(r Reason) (release func()) { panic("not built") }

// Held is how long the clock was held for r so far.
func (c *Clock) Held(r Reason) time.Duration { panic("not built") }
