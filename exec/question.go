package exec

import (
	"cmp"
	"context"
	"crypto/rand"
	"runtime/debug"
	"slices"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec/hook"
	"codemode-ls/permission"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
)

// noClient is what a call is denied with when there is nobody to ask (PERM-7).
const noClient = "no permission client is configured"

// enter has rules and grants decide on a call. When they cannot, or hooks have a say
// in it, the result is its question, for which await must be called.
func (q *questions) enter(ctx context.Context, x *run, c *call) (verdict, *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	ofTool := func(n *question) bool { return n.x == x && n.c.tool.Name == c.tool.Name }
	q.reconsider(ofTool) // a grant for a number of calls is for those before this one first
	v, decided := x.decide(c)
	hooks := x.hooksFor(c, config.PreToolUse)
	switch {
	case decided && !v.allow:
		return v, nil
	case decided && hooks == nil:
		// What allows this call allows those before it that wait: they start first.
		q.reconsider(ofTool)
		x.queue(c)
		return v, nil
	}
	x.unused(v)
	x.status(c, CallWaiting)
	n := &question{x: x, c: c, since: time.Now(), settled: make(chan struct{}), release: x.clock.Hold(sandbox.ForPermission)}
	if !decided {
		n.rule = v.rule
	}
	n.ctx, n.withdraw = context.WithCancel(ctx)
	if hooks != nil {
		n.consulted = make(chan struct{})
		n.guard("the hooks could not be run", byHook, func() { q.consult(n, hooks) })
	}
	if !decided {
		q.line(n)
	}
	return verdict{}, n
}

// guard does something for a question in a goroutine that its run waits for. A panic
// is a denial.
func (n *question) guard(reason, by string, work func()) {
	n.x.asking.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				n.x.r.log().Error("panic in a question", "run", n.x.id, "panic", p, "stack", string(debug.Stack()))
				n.x.r.questions.settle(n, verdict{reason: reason, by: by})
			}
		}()
		work()
	})
}

// line puts a question in line, unless it is there, and opens the first one of each
// person who has none open. q.mu is held.
func (q *questions) line(n *question) {
	if !slices.Contains(q.waiting, n) {
		q.waiting = append(q.waiting, n)
	}
	q.next()
}

// next opens the first question of each person who has none open. q.mu is held.
func (q *questions) next() {
	for _, n := range slices.Clone(q.waiting) {
		if q.open[n.person()] == nil {
			q.begin(n)
		}
	}
}

// begin opens a question. q.mu is held.
func (q *questions) begin(n *question) {
	if q.open == nil {
		q.open = map[string]*question{}
	}
	q.open[n.person()] = n
	n.guard("the question could not be asked", byNobody, func() {
		defer func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			delete(q.open, n.person())
			q.remove(n)
			q.next()
		}()
		q.ask(n)
	})
}

func (n *question) person() string { return n.x.request.Person }

// behind is how many questions to the same person wait besides this one. q.mu is held.
func (q *questions) behind(n *question) (count int) {
	for _, other := range q.waiting {
		if other != n && other.person() == n.person() {
			count++
		}
	}
	return count
}

// remove takes a question out of line. q.mu is held.
func (q *questions) remove(n *question) {
	q.waiting = slices.DeleteFunc(q.waiting, func(other *question) bool { return other == n })
}

// reconsider settles every waiting question that rules or grants decide now, the open
// one included, in the order of the calls. q.mu is held.
func (q *questions) reconsider(which func(*question) bool) {
	for _, n := range slices.Clone(q.waiting) {
		if n.verdict == nil && which(n) {
			if v, decided := n.byRules(); decided && q.decide(n, v) {
				close(n.settled)
			}
		}
	}
}

// reconsiderAll is reconsider for all questions; q.mu is not held.
func (q *questions) reconsiderAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reconsider(func(*question) bool { return true })
}

// byRules is what rules and grants say of the call now. As long as hooks have not
// answered, and when one wants the person to be asked, nothing but a person allows
// it. questions.mu is held.
func (n *question) byRules() (verdict, bool) {
	v, decided := n.x.decide(n.c)
	if decided && v.allow && (n.hookAsks || !n.hooksAnswered()) {
		n.x.unused(v)
		return verdict{rule: v.rule}, false
	}
	return v, decided
}

// hooksAnswered reports whether the hooks have answered, or there are none.
func (n *question) hooksAnswered() bool {
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

// decide gives a question its verdict; false when it has one. The caller closes
// n.settled. q.mu is held.
func (q *questions) decide(n *question, v verdict) bool {
	if n.verdict != nil {
		n.x.unused(v)
		return false
	}
	v.waited = time.Since(n.since)
	n.verdict = &v
	if n != q.open[n.person()] {
		q.remove(n)
	}
	n.release()
	n.withdraw()
	if v.allow {
		n.x.queue(n.c)
	}
	if v.stop {
		n.x.stop(n.c.tool.Name + ": " + v.reason)
		for _, other := range slices.Clone(q.waiting) {
			if other.x == n.x && q.decide(other, aborted) {
				close(other.settled)
			}
		}
	}
	return true
}

// settle is decide for a verdict that grants nothing for later calls; q.mu is not
// held.
func (q *questions) settle(n *question, v verdict) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.decide(n, v) {
		close(n.settled)
	}
}

// The verdicts on calls that wait when their run ends, or is stopped.
var (
	ended   = verdict{reason: "cancelled while waiting for permission", by: byEnd}
	aborted = verdict{reason: "not made: a call before it was denied, and no further ones are wanted", by: byStop}
)

// await waits until the question is settled, or its run ends.
func (q *questions) await(ctx context.Context, n *question) verdict {
	select {
	case <-n.settled:
	case <-ctx.Done():
		q.settle(n, ended)
		<-n.settled
	}
	return *n.verdict
}

// ask asks the person, again as long as the arguments are replaced meanwhile.
func (q *questions) ask(n *question) {
	if n.ctx.Err() != nil {
		q.settle(n, ended)
		return
	}
	if asks := n.x.request.Asker != nil; asks || n.consulted != nil {
		// Rules in force at once count for calls that wait, too (PERM-4).
		n.x.asking.Go(func() { n.x.r.Rules.Watch(n.ctx, q.reconsiderAll) })
		n.awaitHooks(cmp.Or(q.grace, promptGrace), asks) // without a person, only a hook may allow it
	}
	for q.askOnce(n) {
		n.awaitHooks(0, false) // they have answered, and are about to do what they want
	}
}

// awaitHooks waits for the hooks, no longer than the grace if that is limited.
func (n *question) awaitHooks(grace time.Duration, limited bool) {
	if n.hooksAnswered() {
		return
	}
	var over <-chan time.Time
	if limited {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-n.consulted:
	case <-over:
	case <-n.ctx.Done():
	}
}

// askOnce asks the person and does what the answer says. It is true when the
// arguments were replaced meanwhile, so that the answer was to another question.
func (q *questions) askOnce(n *question) (replaced bool) {
	q.mu.Lock()
	now, decided := n.byRules()
	if !decided && n.x.request.Asker == nil {
		now, decided = verdict{reason: noClient, rule: n.rule, by: byNobody}, true
	}
	if decided && q.decide(n, now) {
		close(n.settled)
	}
	if n.verdict != nil {
		q.mu.Unlock()
		return false
	}
	asking, done := context.WithCancel(n.ctx)
	defer done()
	version, shown := n.version, n.shown(q.behind(n))
	n.again = done
	q.mu.Unlock()

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
	defer q.mu.Unlock()
	if !q.decide(n, v) { // an answer that comes too late changes nothing
		return false
	}
	kept := false
	switch {
	case err != nil:
	case a.Scope == ForLoop: // no call of after it may come before those that wait
		kept = n.keep(a, now.asking)
	default: // it may write a file, so without the lock
		q.mu.Unlock()
		kept = n.keep(a, now.asking)
		q.mu.Lock()
	}
	close(n.settled)
	if kept { // an answer that covers others settles them (PERM-8)
		q.reconsider(func(*question) bool { return true })
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
	if a.Decision == Allow {
		if d := n.x.r.Rules.Rules().Decide(n.c.tool.Name); d.Effect == permission.Deny {
			return verdict{reason: "denied by " + ruleWords(d.Rule), rule: d.Rule, by: byRule}
		}
		return verdict{allow: true, rule: n.rule, by: byAnswer, scope: a.Scope.known()}
	}
	v := verdict{reason: "denied by the user", rule: n.rule, by: byAnswer, scope: a.Scope.known(), stop: a.Stop}
	if a.Reason != "" {
		v.reason += ": " + fold(a.Reason)
	}
	return v
}

// consult runs the hooks before a call and does what they say. When the person
// answers first, n.ctx ends and with it the command that runs.
func (q *questions) consult(n *question, hooks []config.Hook) {
	defer close(n.consulted)
	x, c := n.x, n.c
	v := x.hookRunner().Before(n.ctx, hooks, x.hooked(c))
	if n.ctx.Err() != nil {
		q.settle(n, ended) // if nothing else has settled it
		return
	}
	x.note(c, v.Notes)
	by := verdict{rule: n.rule, by: byHook}
	if v.By != nil {
		by.hook = v.By.Name() + " " + v.By.Origin()
	}
	if v.Decision == hook.Deny {
		by.reason, by.stop = "denied by a hook: "+v.Reason, v.Stop
		q.settle(n, by)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if n.verdict != nil {
		return
	}
	if v.Input != nil {
		n.replace(v.Input, v.ReplacedBy.Name()+" "+v.ReplacedBy.Origin())
	}
	n.hookAsks, n.hookSays = v.Decision == hook.Ask, v.Reason
	// The rules have the last word on what the hooks have left: they see the new
	// input, and a hook lifts neither a denial nor a rule that says "ask" (HOOK-1).
	q.reconsider(func(other *question) bool {
		return other.x == x && other.c.tool.Name == c.tool.Name && other.c.order < c.order
	})
	now, decided := x.decide(c)
	switch {
	case decided && now.allow && v.Decision == hook.Ask:
		x.unused(now)
		q.line(n)
		return
	case decided:
	case v.Decision == hook.Allow && now.rule == nil:
		by.allow = true
		now = by
	default:
		q.line(n)
		return
	}
	if q.decide(n, now) {
		close(n.settled)
	}
}

// replace gives a call other arguments: from here on they are what is shown,
// decided on, recorded and sent. An open prompt is about the old ones and is
// asked again. questions.mu is held, and there is no verdict yet.
func (n *question) replace(arguments jsontext.Value, by string) {
	n.x.mu.Lock()
	n.c.record.Arguments = arguments.Clone()
	n.c.replacedBy = by
	n.x.reportCall(n.c)
	n.x.mu.Unlock()
	n.version++
	if n.again != nil {
		n.again()
	}
}
