package exec

import (
	"context"
	"crypto/rand"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec/hook"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"
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

// hooked is what a hook learns about a call.
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

// note keeps what hooks report: with the call, and for display.
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
	x.reportCall(c)
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
	outcome := x.hooked(c)
	if r != nil {
		outcome.Response = r.Raw
		if r.IsError {
			outcome.Error = fold(r.Text)
			if outcome.Error == "" {
				outcome.Error = "the tool failed without a word"
			}
		}
	}
	if failure != nil {
		outcome.Error = failure.Message
		if failure.Code == CodeCancelled {
			outcome.Interrupt = true
			// Nobody waits for a cancelled call, least of all who has cancelled it.
			x.r.afterwards.run(func(ctx context.Context) { x.hookRunner().After(ctx, hooks, outcome) })
			return
		}
	}
	release := x.clock.Hold(sandbox.ForQueue)
	defer release()
	x.note(c, x.hookRunner().After(ctx, hooks, outcome))
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
