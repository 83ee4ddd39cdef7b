package exec

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec/hook"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// Hooks around calls (HOOK-1…4). Before a call they run beside the question to a
// person: a call that a rule allows has a question, too, which only a hook can
// put in line.

// promptGrace is how long a question that hooks have a say in waits for them
// before it is shown: most hooks answer at once, and a prompt that comes and goes
// is of no use. A slow hook holds nothing up longer than that (HOOK-3).
const promptGrace = 250 * time.Millisecond

// afterGrace is how long hooks after cancelled calls may go on when everything
// closes.
const afterGrace = 2 * time.Second

// hooksFor are the hooks that may run at this moment, nil when none is for the
// call.
func (x *run) hooksFor(c *call, event string) []config.Hook {
	if x.r.Hooks == nil {
		return nil
	}
	hooks := x.r.Hooks()
	if !hook.Any(hooks, event, c.tool.Name) {
		return nil
	}
	return hooks
}

func (x *run) hookRunner() *hook.Runner {
	r := &hook.Runner{Log: x.r.log()}
	if x.r.Folders != nil {
		if folders := x.r.Folders(); len(folders) > 0 {
			r.Dir = folders[0]
		}
	}
	return r
}

// hooked is what a hook is told of a call.
func (x *run) hooked(c *call) hook.Call {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.id == "" {
		c.id = rand.Text()
	}
	h := hook.Call{
		SessionID: x.request.SessionID, RunID: x.id, UseID: c.id, Tool: c.tool.Name, Server: c.tool.Server,
		Arguments: c.record.Arguments, URI: x.request.URI,
	}
	if c.record.Range != nil {
		h.Line = c.record.Range.Start.Line + 1
	}
	return h
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
// asked anew. questions.mu is held, and there is no verdict yet.
func (n *question) replace(arguments jsontext.Value, by string) {
	n.x.mu.Lock()
	n.c.record.Arguments = arguments.Clone()
	n.c.replacedBy = by
	n.x.tell(n.c)
	n.x.mu.Unlock()
	n.version++
	if n.again != nil {
		n.again()
	}
}

// note keeps what hooks want to be seen: with the call, and for people.
func (x *run) note(c *call, notes hook.Notes) {
	for _, m := range notes.Messages {
		x.warn("%s: %s", c.tool.Name, m)
	}
	if len(notes.Context) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c.record.Context = append(c.record.Context, notes.Context...)
	x.tell(c)
}

// after runs the hooks behind a call that was made, or that was to be made when
// its run ended: those for results, or those for failures (HOOK-4). The script
// waits for them, on a clock that stands still.
func (x *run) after(ctx context.Context, c *call, r *upstream.Result, failure *sandbox.CallError) {
	event := config.PostToolUse
	if failure != nil || r.IsError {
		event = config.PostToolUseFailure
	}
	hooks := x.hooksFor(c, event)
	if hooks == nil {
		return
	}
	told := x.hooked(c)
	if r != nil {
		told.Response = r.Raw
		if r.IsError {
			told.Error = fold(r.Text)
			if told.Error == "" {
				told.Error = "the tool failed without a word"
			}
		}
	}
	if failure != nil {
		told.Error = failure.Message
		if failure.Code == CodeCancelled {
			told.Interrupt = true
			// Nobody waits for a cancelled call, least of all who has cancelled it.
			x.r.afterwards.run(func(ctx context.Context) { x.hookRunner().After(ctx, hooks, told) })
			return
		}
	}
	release := x.clock.Hold(sandbox.ForQueue)
	defer release()
	x.note(c, x.hookRunner().After(ctx, hooks, told))
}

// afterwards owns the hooks that nobody waits for. The zero value is ready.
type afterwards struct {
	mu     sync.Mutex // guards what follows
	closed bool
	ctx    context.Context
	cancel context.CancelFunc
	going  sync.WaitGroup
}

func (a *afterwards) run(work func(context.Context)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	if a.ctx == nil {
		a.ctx, a.cancel = context.WithCancel(context.Background())
	}
	a.going.Go(func() { work(a.ctx) })
}

// close gives what is going on a little time, and waits for its end.
func (a *afterwards) close() {
	a.mu.Lock()
	a.closed = true
	cancel := a.cancel
	a.mu.Unlock()
	if cancel == nil {
		return
	}
	limit := time.AfterFunc(afterGrace, cancel)
	defer limit.Stop()
	a.going.Wait()
	cancel()
}

// withContext is the text of a direct call with what hooks have said about it.
func withContext(text string, context []string) string {
	for _, said := range context {
		text += "\n\n[from a hook] " + said
	}
	return text
}
