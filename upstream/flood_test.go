package upstream

import (
	"strings"
	"testing"
)

// TEST-10: a server that floods is named in its state, whatever its transport is.
func TestFloodIsAFault(t *testing.T) {
	for what, s := range map[string]*session{
		"standard error":          {spill: &spill{throttle: throttle{what: "standard error"}}},
		"stream of notifications": {gate: &gate{flood: throttle{what: "stream of notifications"}}},
	} {
		if faults := s.faults(); faults != nil {
			t.Errorf("%s: %q", what, faults)
		}
		if s.spill != nil {
			s.spill.take(floodBurst + 1<<20)
		} else {
			s.gate.flood.take(floodBurst + 1<<20)
		}
		if faults := s.faults(); len(faults) != 1 || !strings.Contains(faults[0], "floods its "+what) {
			t.Errorf("%s: %q", what, faults)
		}
	}
}
