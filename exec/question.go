package exec

import (
	"cmp"
	"context"
	"crypto/rand"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
)

// noClient is what a call is denied with when there is nobody to ask (PERM-7).
const noClient = "no permission client is configured"

// questions are the calls that wait for a person, of all runs, in order. One is
// asked at a time (PERM-8). Each has a goroutine of its own when its turn has
// come, which its run waits for.
type questions struct {
	mu   sync.Mutex  // guards what follows, and the fields of questions so marked
	list []*question // that have no verdict, and the open one
	open *question   // that is being asked; nil for none

	// passing is held while calls are decided on one after the other: what is granted
	// for a number of calls is for the first of them (PERM-12). It comes before mu, and
	// before the mu of runs.
	passing sync.Mutex
	again   atomic.Bool // rules have changed, and the calls that wait have not been looked at since

	grace time.Duration // 0 is promptGrace; set before the first question
}

// A question is one call that waits for a person.
type question struct {
	x     *run
	c     *call
	rule  *permission.Rule // that said "ask", nil for none
	since time.Time
	// release lets the clock go on.
	release func()
	// ctx ends when the question need not be asked any more.
	ctx      context.Context
	withdraw context.CancelFunc
	// settled is closed when verdict is there.
	settled chan struct{}
	verdict *verdict // guarded by questions.mu until settled

	// consulted is closed when the hooks have answered; nil when there are none.
	consulted chan struct{}
	// hookAsks: a hook wants the person to be asked, and hookSays why. Guarded by
	// questions.mu, as what follows is.
	hookAsks bool
	hookSays string
	version  int                // how often the arguments were replaced
	again    context.CancelFunc // ends the open prompt, so that it is asked anew
	offered  bool               // offer is made
	offer    *LoopOffer
}

// put puts a call in line. wait must follow.
func (q *questions) put(ctx context.Context, x *run, c *call, rule *permission.Rule) *question {
	n := newQuestion(ctx, x, c, rule)
	q.mu.Lock()
	q.line(n)
	q.mu.Unlock()
	q.recheck(func(other *question) bool { return other.x == x && other.c.tool.Name == c.tool.Name }) // a rule has changed meanwhile
	return n
}

// putHooked is put for a call that hooks have a say in. An allowed one comes into
// line only when they want that.
func (q *questions) putHooked(ctx context.Context, x *run, c *call, rule *permission.Rule, allowed bool, hooks []config.Hook) *question {
	n := newQuestion(ctx, x, c, rule)
	n.consulted = make(chan struct{})
	if !allowed {
		q.mu.Lock()
		q.line(n)
		q.mu.Unlock()
	}
	x.asking.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				x.r.log().Error("panic in a hook", "run", x.id, "panic", p, "stack", string(debug.Stack()))
				q.settle(n, verdict{reason: "the hooks could not be run", by: byHook})
			}
		}()
		q.consult(n, hooks)
	})
	return n
}

func newQuestion(ctx context.Context, x *run, c *call, rule *permission.Rule) *question {
	n := &question{x: x, c: c, rule: rule, since: time.Now(), release: x.clock.Hold(sandbox.ForPermission), settled: make(chan struct{})}
	n.ctx, n.withdraw = context.WithCancel(ctx)
	return n
}

// line puts a question in line, unless it is there. q.mu is held.
func (q *questions) line(n *question) {
	if n != q.open && !slices.Contains(q.list, n) {
		q.list = append(q.list, n)
	}
	q.begin()
}

// decide is what rules and grants say of the call now. As long as hooks have not
// answered, and when one wants the person to be asked, nothing but a person
// allows it.
func (q *questions) decide(n *question) (verdict, bool) {
	v, decided := n.x.decide(n.c)
	q.mu.Lock()
	defer q.mu.Unlock()
	if decided && v.allow && (n.hookAsks || !n.heard()) {
		n.x.unused(v)
		return verdict{rule: v.rule}, false
	}
	return v, decided
}

// heard says whether the hooks have answered, or there are none.
func (n *question) heard() bool {
	if n.consulted == nil {
		return true
	}
	select {
	case <-n.consulted:
		return true
	default:
		return false
	}
}

// begin asks the first question in line, unless one is open. q.mu is held.
func (q *questions) begin() {
	if q.open != nil || len(q.list) == 0 {
		return
	}
	n := q.list[0]
	q.open = n
	n.x.asking.Go(func() {
		defer func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.open = nil
			q.remove(n)
			q.begin()
		}()
		q.ask(n)
	})
}

// remove takes a question out of line. q.mu is held.
func (q *questions) remove(n *question) {
	if i := slices.Index(q.list, n); i >= 0 {
		q.list = slices.Delete(q.list, i, i+1)
	}
}

// settle gives a question its verdict; false when it has one. The call gets its
// place in the queue here and not in its own goroutine: calls that are settled
// together start in their order (SCHED-1).
func (q *questions) settle(n *question, v verdict) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.conclude(n, v)
}

// conclude is settle; q.mu is held.
func (q *questions) conclude(n *question, v verdict) bool {
	claimed := q.claim(n, v)
	if claimed {
		close(n.settled)
	}
	return claimed
}

// claim is conclude but for the call's going on: the caller closes n.settled, and
// may do before it what has to hold when the script makes its next call.
func (q *questions) claim(n *question, v verdict) bool {
	if n.verdict != nil {
		n.x.unused(v)
		return false
	}
	v.waited = time.Since(n.since)
	n.verdict = &v
	if n != q.open {
		q.remove(n)
	}
	n.release()
	n.withdraw()
	if v.allow {
		n.x.queue(n.c)
	}
	if v.stop {
		n.x.stop(n.c.tool.Name + ": " + v.reason)
		for _, other := range slices.Clone(q.list) {
			if other.x == n.x {
				q.conclude(other, aborted)
			}
		}
	}
	return true
}

// The verdicts on calls that wait when their run ends, or is stopped.
var (
	ended   = verdict{reason: "cancelled while waiting for permission", by: byEnd}
	aborted = verdict{reason: "not made: a call before it was denied, and no further ones are wanted", by: byStop}
)

// wait waits until the call is decided: by an answer, by a rule or an answer to
// another call that covers it, or by the end of its run.
func (q *questions) wait(ctx context.Context, n *question) verdict {
	select {
	case <-n.settled:
	case <-ctx.Done():
		q.settle(n, ended)
		<-n.settled
	}
	return *n.verdict
}

// ask asks the person and does what the answer says.
func (q *questions) ask(n *question) {
	defer func() {
		if p := recover(); p != nil {
			n.x.r.log().Error("panic in a question", "run", n.x.id, "panic", p, "stack", string(debug.Stack()))
			q.settle(n, verdict{reason: "the question could not be asked", by: byNobody})
		}
	}()
	if n.ctx.Err() != nil {
		q.settle(n, ended)
		return
	}
	if n.consulted != nil {
		grace := time.NewTimer(cmp.Or(q.grace, promptGrace))
		defer grace.Stop()
		select {
		case <-n.consulted:
		case <-grace.C:
		case <-n.ctx.Done():
		}
	}
	for q.askOnce(n) {
		// The hooks have been heard and are about to say what they want.
		select {
		case <-n.consulted:
		case <-n.ctx.Done():
		}
	}
}

// askOnce asks the person and does what the answer says. It is true when the
// arguments were replaced meanwhile, so that the answer was to another question.
func (q *questions) askOnce(n *question) (replaced bool) {
	if n.x.request.Asker == nil && n.consulted != nil {
		// Nobody can be asked, but a hook may yet allow it.
		select {
		case <-n.consulted:
		case <-n.ctx.Done():
		}
	}
	var asks verdict
	var decided bool
	q.alone(func() {
		if asks, decided = q.decide(n); decided {
			q.settle(n, asks)
		}
	})
	if decided {
		return false
	}
	if n.x.request.Asker == nil {
		q.settle(n, verdict{reason: noClient, rule: n.rule, by: byNobody})
		return false
	}
	asking, done := context.WithCancel(n.ctx)
	defer done()
	q.mu.Lock()
	if n.verdict != nil {
		q.mu.Unlock()
		return false
	}
	version, shown := n.version, n.shown(len(q.list)-1)
	n.again = done
	q.mu.Unlock()

	n.x.asking.Go(func() { q.look(asking) })
	a, err := n.x.request.Asker.Ask(asking, shown)
	v := verdict{rule: n.rule, by: byNobody}
	switch {
	case n.ctx.Err() != nil:
		q.settle(n, ended) // if nothing else has settled it
		return false
	case err != nil:
		v.reason = normalise(err)
	default:
		v = n.means(a)
	}
	q.mu.Lock()
	if n.version != version && n.verdict == nil {
		q.mu.Unlock()
		return true
	}
	// An answer that comes too late changes nothing.
	counts := q.claim(n, v)
	q.mu.Unlock()
	switch {
	case !counts:
	case a.Scope == "loop": // no call of after it must be before those that wait
		q.alone(func() {
			n.remember(a, err == nil, asks.asking)
			q.pass(nil)
		})
	case n.remember(a, err == nil, asks.asking):
		q.recheck(nil) // an answer that covers others settles them (PERM-8)
	}
	return false
}

// shown is what the person sees: exactly what would be sent (PERM-5, PERM-6).
func (n *question) shown(behind int) Question {
	t := n.c.tool
	n.x.mu.Lock()
	arguments := n.c.record.Arguments
	n.x.mu.Unlock()
	if !n.offered {
		n.offered, n.offer = true, n.x.offerLoop(t.Name, arguments)
	}
	s := Question{
		ID: rand.Text(), RunID: n.x.id, Tool: t.Name, Server: t.Server, Title: t.Title, Description: t.Description,
		Arguments: arguments, Call: n.c.record.Index, URI: n.x.request.URI, Range: n.c.record.Range, Waiting: behind,
		Note: n.hookSays, Loop: n.offer,
	}
	if was, changed := n.x.r.Rules.Was(t.Name); changed {
		s.Changed = ToolChange(was, t, maxShownChange)
	}
	if t.RawAnnotations.IsValid() {
		s.Annotations = t.RawAnnotations
	}
	return s
}

// means is what an answer says of the call. Anything but a clear "allow" is a
// denial, and a rule that denies wins also when it came while the prompt was
// open.
func (n *question) means(a Answer) verdict {
	if a.Decision == "allow" {
		if d := n.x.r.Rules.Rules().Decide(n.c.tool.Name); d.Effect == permission.Deny {
			return verdict{reason: "denied by " + ruleWords(d.Rule), rule: d.Rule, by: byRule}
		}
		return verdict{allow: true, rule: n.rule, by: byAnswer, scope: scopeOf(a)}
	}
	v := verdict{reason: "denied by the user", rule: n.rule, by: byAnswer, scope: scopeOf(a), stop: a.Stop}
	if a.Reason != "" {
		v.reason += ": " + fold(a.Reason)
	}
	return v
}

// lookAgain is how often the rules are looked at while a person thinks.
const lookAgain = 250 * time.Millisecond

// look looks at the rules again and again until ctx ends: a file of rules that
// somebody edits counts at once also for calls that wait (PERM-4), whoever may or
// may not tell of the edit.
func (q *questions) look(ctx context.Context) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			q.recheck(nil)
		case <-ctx.Done():
			return
		}
	}
}

// recheck settles every waiting call that rules or grants decide now, also the
// one whose question is open, in the order of the calls. which chooses among
// them; nil is all.
func (q *questions) recheck(which func(*question) bool) { q.alone(func() { q.pass(which) }) }

// alone does something while no other call is decided on.
func (q *questions) alone(work func()) {
	q.passing.Lock()
	work()
	q.passing.Unlock()
	q.catchUp()
}

// changed is recheck for whoever tells of changed rules, which may be heard of
// in the middle of a decision.
func (q *questions) changed() {
	q.again.Store(true)
	q.catchUp()
}

// catchUp does what changed has asked for, unless somebody else is about to.
func (q *questions) catchUp() {
	for q.again.Load() && q.passing.TryLock() {
		if q.again.Swap(false) {
			q.pass(nil)
		}
		q.passing.Unlock()
	}
}

// inTurn decides on a call after those of its tool that wait: a grant for a number
// of calls is for them first.
func (q *questions) inTurn(c *call, x *run) (v verdict, decided bool) {
	q.alone(func() {
		if x.hasLoop(c.tool.Name) {
			q.pass(func(n *question) bool { return n.x == x && n.c.tool.Name == c.tool.Name && n.c.order < c.order })
		}
		v, decided = x.decide(c)
	})
	return v, decided
}

// pass is recheck; q.passing is held.
func (q *questions) pass(which func(*question) bool) {
	q.mu.Lock()
	waiting := slices.Clone(q.list)
	q.mu.Unlock()
	for _, n := range waiting {
		if which != nil && !which(n) {
			continue
		}
		if v, ok := q.decide(n); ok {
			q.settle(n, v)
		}
	}
}

// scopeOf is how far an answer reaches; what is not known reaches no further than
// its call.
func scopeOf(a Answer) string {
	switch a.Scope {
	case "run", "session", "workspace", "user", "loop":
		return a.Scope
	}
	return "once"
}
