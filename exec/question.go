package exec

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"codemode-ls/permission"
	"codemode-ls/sandbox"
)

// noClient is what a call is denied with when there is nobody to ask (PERM-7).
const noClient = "no permission client is configured"

// questions are the calls that wait for a person, of all runs, in order. One is
// asked at a time (PERM-8), by the goroutine of its call.
type questions struct {
	mu   sync.Mutex // guards what follows, and the fields of questions so marked
	list []*question
}

// A question is one call that waits for a person.
type question struct {
	x     *run
	c     *call
	rule  *permission.Rule // that said "ask", nil for none
	since time.Time
	// release lets the clock go on.
	release func()
	// turn is closed when it is first in line.
	turn chan struct{}
	// settled is closed when verdict is there without an answer of its own.
	settled chan struct{}
	verdict *verdict           // guarded by questions.mu
	ask     context.CancelFunc // guarded by questions.mu; set while it is being asked
}

// A verdict on one call.
type verdict struct {
	allow     bool
	reason    string // of a denial
	cancelled bool   // the run ended while the call waited
	waited    time.Duration
}

// A grant is an answer that counts for the rest of a run.
type grant struct {
	effect permission.Effect
	// rule said "ask" when the person was asked. Another rule that says so later
	// was not known to that person, so that the grant does not cover it.
	rule *permission.Rule
}

func (g grant) covers(rule *permission.Rule) bool {
	return g.effect == permission.Deny || rule == nil || g.rule != nil && rule.Match == g.rule.Match && rule.Layer == g.rule.Layer
}

// put puts a call in line. wait must follow.
func (q *questions) put(x *run, c *call, rule *permission.Rule) *question {
	n := &question{
		x: x, c: c, rule: rule, since: time.Now(), release: x.clock.Hold(sandbox.ForPermission),
		turn: make(chan struct{}), settled: make(chan struct{}),
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, n)
	if len(q.list) == 1 {
		close(n.turn)
	}
	return n
}

// remove takes a call out of the line; the next one has its turn.
func (q *questions) remove(n *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.list, n)
	q.list = slices.Delete(q.list, i, i+1)
	if i == 0 && len(q.list) > 0 {
		close(q.list[0].turn)
	}
}

// wait waits until the call is decided: by an answer, by a rule or an answer to
// another call that covers it, or by the end of its run.
func (q *questions) wait(ctx context.Context, n *question) (v verdict) {
	defer func() {
		q.remove(n)
		n.release()
		v.waited = time.Since(n.since)
	}()
	select {
	case <-n.settled:
		return *n.verdict
	case <-ctx.Done():
		return verdict{cancelled: true}
	case <-n.turn:
	}
	if ctx.Err() != nil { // both were ready
		return verdict{cancelled: true}
	}
	if v, ok := n.decided(); ok {
		return v
	}
	if n.x.request.Asker == nil {
		return verdict{reason: noClient}
	}
	return q.answer(ctx, n)
}

// decided says whether rules or grants settle the call now.
func (n *question) decided() (verdict, bool) {
	switch effect, _, reason := n.x.decide(n.c); effect {
	case permission.Allow:
		return verdict{allow: true}, true
	case permission.Deny:
		return verdict{reason: reason}, true
	}
	return verdict{}, false
}

// answer asks the person and does what the answer says.
func (q *questions) answer(ctx context.Context, n *question) verdict {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	q.mu.Lock()
	if n.verdict != nil { // settled meanwhile
		q.mu.Unlock()
		return *n.verdict
	}
	n.ask = cancel
	behind := len(q.list) - 1
	q.mu.Unlock()

	a, err := n.x.request.Asker.Ask(asking, n.shown(behind))

	q.mu.Lock()
	n.ask = nil
	settled := n.verdict
	q.mu.Unlock()
	switch {
	case settled != nil:
		return *settled
	case ctx.Err() != nil:
		return verdict{cancelled: true}
	case err != nil:
		return verdict{reason: normalise(err)}
	}
	v := n.apply(a)
	if a.Stop && !v.allow {
		// Before the next question has its turn.
		n.x.cancel(&stopped{n.c.tool.Name + ": " + v.reason})
	}
	if a.Scope != "" && a.Scope != "once" {
		q.recheck() // an answer that covers others settles them (PERM-8)
	}
	return v
}

// shown is what the person sees: exactly what would be sent (PERM-5, PERM-6).
func (n *question) shown(behind int) Question {
	t := n.c.tool
	s := Question{
		ID: rand.Text(), RunID: n.x.id, Tool: t.Name, Server: t.Server, Title: t.Title, Description: t.Description,
		Arguments: n.c.record.Arguments, URI: n.x.request.URI, Range: n.c.record.Range, Waiting: behind,
	}
	if t.RawAnnotations.IsValid() {
		s.Annotations = t.RawAnnotations
	}
	return s
}

// apply does what an answer says. Anything but a clear "allow" is a denial.
func (n *question) apply(a Answer) verdict {
	effect := permission.Deny
	v := verdict{reason: "denied by the user"}
	if a.Decision == "allow" {
		effect = permission.Allow
		v = verdict{allow: true}
	} else if a.Reason != "" {
		v.reason += ": " + fold(a.Reason)
	}
	leaf := n.c.tool.Name
	switch a.Scope {
	case "run", "session", "workspace", "user":
		n.x.mu.Lock()
		n.x.grants[leaf] = grant{effect, n.rule}
		n.x.mu.Unlock()
	}
	switch a.Scope {
	case "session", "workspace", "user":
		// PERM-4: for the leaf's full name, in the layer that the person chose.
		if err := n.x.r.Rules.Set(permission.Layer(a.Scope), effect, permission.Literal(leaf)); err != nil {
			n.x.r.log().Error("rule not stored", "leaf", leaf, "layer", a.Scope, "err", err)
			n.x.warn("the rule for %s could not be stored and counts for this run alone: %v", leaf, err)
		}
	}
	if v.allow {
		// A rule that denies wins, also when it came while the prompt was open.
		if d := n.x.r.Rules.Rules().Decide(leaf); d.Effect == permission.Deny {
			return verdict{reason: "denied by " + ruleWords(d.Rule)}
		}
	}
	return v
}

// recheck settles every waiting call that rules or grants decide now, also the
// one whose question is open.
func (q *questions) recheck() {
	q.mu.Lock()
	waiting := slices.Clone(q.list)
	q.mu.Unlock()
	for _, n := range waiting {
		v, ok := n.decided()
		if !ok {
			continue
		}
		q.mu.Lock()
		if n.verdict == nil {
			n.verdict = &v
			close(n.settled)
			if n.ask != nil {
				n.ask()
			}
		}
		q.mu.Unlock()
	}
}
