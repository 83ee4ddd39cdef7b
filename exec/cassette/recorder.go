package cassette

import (
	"cmp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Recorder takes in the calls of one run, from any goroutine.
type Recorder struct {
	mu      sync.Mutex // guards what follows
	started bool
	input   jsontext.Value
	calls   []recorded // in the order of their answers
}

type recorded struct {
	order int
	Call
}

// Begin notes that the script begins to run, and what it is given.
func (r *Recorder) Begin(input jsontext.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started, r.input = true, input
}

// Started reports whether the script has run at all: one that was refused leaves
// nothing to replay.
func (r *Recorder) Started() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started
}

// Add notes a call at the moment of its answer. order is its place in the
// script; the numbers need not be without gaps.
func (r *Recorder) Add(order int, c Call) {
	c.Arguments, c.Value = c.Arguments.Clone(), c.Value.Clone()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, recorded{order, c})
}

// Cassette is what was recorded until now, with how the run ended.
func (r *Recorder) Cassette(script string, result *Result) *Cassette {
	r.mu.Lock()
	answers, input := slices.Clone(r.calls), r.input
	r.mu.Unlock()
	calls := slices.Clone(answers)
	slices.SortStableFunc(calls, func(a, b recorded) int { return cmp.Compare(a.order, b.order) })
	c := &Cassette{Version: Version, Script: script, Input: input, Calls: make([]Call, len(calls)), Result: result}
	index := make(map[int]int, len(calls))
	for i, call := range calls {
		c.Calls[i] = call.Call
		index[call.order] = i
	}
	order := make([]int, len(answers))
	for i, a := range answers {
		order[i] = index[a.order]
	}
	if !slices.IsSorted(order) {
		c.Answered = order
	}
	return c
}
