package exec

import (
	"slices"

	"codemode-ls/permission"

	"github.com/go-json-experiment/json/jsontext"
)

// Grants for a loop (PERM-12): a script that calls the same tool again and again
// is allowed a number of calls, or those whose arguments meet a condition.

// maxLoop bounds a number of calls that comes over the wire.
const maxLoop = 1_000_000

// keepLoop remembers an answer with the scope "loop". The call that was asked for
// is the first of the calls that it counts. x.mu is not held.
func (x *run) keepLoop(leaf string, a Answer, g grant) bool {
	l := &loop{left: -1, while: a.While, grant: g}
	switch {
	case a.Calls < 0, a.Calls == 0 && a.While == nil, a.While != nil && a.While.Valid() != nil:
		return false // it says nothing that can be kept: this call alone
	case a.Calls > 0:
		l.left = min(a.Calls, maxLoop) - 1
	}
	if l.left == 0 {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.loops[leaf] = append(x.loops[leaf], l)
	return true
}

// takeLoop uses up one call of a grant that covers this one, the newest first;
// nil when there is none. Whoever does not use it puts it back. x.mu is held.
func (x *run) takeLoop(leaf string, arguments jsontext.Value, asking []*permission.Rule) *loop {
	for _, l := range slices.Backward(x.loops[leaf]) {
		if l.left == 0 || !l.grant.covers(asking) || l.while != nil && !l.while.Holds(arguments) {
			continue
		}
		if l.left > 0 {
			l.left--
		}
		return l
	}
	return nil
}

// unused gives back what a verdict that did not count has taken.
func (x *run) unused(v verdict) {
	if v.loop == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if v.loop.left >= 0 {
		v.loop.left++
	}
}

// offer is what to offer for a question about a tool; nil for the first one.
func (x *run) offerLoop(leaf string, arguments jsontext.Value) *LoopOffer {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := x.lastAsked[leaf]
	x.lastAsked[leaf] = lastQuestion{before.times + 1, arguments}
	if before.times == 0 {
		return nil
	}
	o := &LoopOffer{Asked: before.times + 1, Suggestions: permission.Suggest(before.arguments, arguments)}
	if o.Suggestions == nil {
		o.Suggestions = []permission.Condition{}
	}
	return o
}
