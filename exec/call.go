package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"codemode-ls/config"
	"codemode-ls/sandbox"
	"codemode-ls/typegen/seen"
	"codemode-ls/upstream"
)

// The funnel: the one way to an MCP server (spec 05), for a script's calls and
// for direct ones. A call that has been looked up and counted goes through
//
//	enter  rules; in the order in which calls were made
//	pass   a person, the queue, the server; in a goroutine of the call's own
//
// and whoever made it turns what comes back into what its caller gets.

// enter lets the rules decide on a call, and gives it its place: in the queue
// when it is allowed, in the line of those that wait for a person when it has to
// be asked for. pass must follow. Calls of a run enter one after the other, in
// the order in which they were made.
func (x *run) enter(ctx context.Context, c *call) {
	c.ruled, c.question = x.r.questions.enter(ctx, x, c)
}

// pass takes a call that has entered through the rest of the funnel. An error is
// a *sandbox.CallError, and the call's record has ended; a result leaves that to
// the caller.
func (x *run) pass(ctx context.Context, c *call) (*upstream.Result, error) {
	if c.question != nil {
		c.ruled = x.r.questions.await(ctx, c.question)
		c.waited = c.ruled.waited
	}
	x.decided(c, c.ruled)
	if !c.ruled.allow {
		return nil, x.denied(c, c.ruled)
	}
	result, err := x.dispatch(ctx, c)
	if err != nil {
		failure := x.failed(ctx, c, err)
		x.after(ctx, c, nil, failure)
		return nil, failure
	}
	x.receive(c, result)
	if !result.IsError {
		x.observe(c, seen.Result{Structured: result.Structured, Text: result.Text, HasText: result.HasText})
	}
	x.after(ctx, c, result, nil)
	return result, nil
}

// observe reports what a call resolved to whose server does not declare it.
func (x *run) observe(c *call, r seen.Result) {
	if x.r.Observe == nil || c.tool == nil || c.tool.OutputSchema != nil {
		return
	}
	r.Arguments = c.record.Arguments
	x.r.Observe(c.tool, r)
}

// dispatch waits for the call's turn and makes it.
func (x *run) dispatch(ctx context.Context, c *call) (*upstream.Result, error) {
	defer x.schedule.leave(c.slot)
	release := x.clock.Hold(sandbox.ForQueue)
	err := x.schedule.wait(ctx, c.slot)
	release()
	c.queued = x.schedule.waited(c.slot)
	if err != nil || ctx.Err() != nil { // its turn may have come when the run had ended
		return nil, errNotSent
	}
	x.status(c, CallRunning)
	return x.send(ctx, c)
}

// send calls the server, with a deadline that begins now (TIME-1) and begins
// again with each progress notification, up to a ceiling (TIME-3).
func (x *run) send(ctx context.Context, c *call) (*upstream.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timeout, most := x.limits.CallTimeout, maxCallTime()
	if x.r.ToolTimeout != nil {
		timeout = cmp.Or(x.r.ToolTimeout(c.tool), timeout)
	}
	if timeout <= 0 {
		timeout = config.DefaultLimits().CallTimeout
	}
	sent := time.Now()
	c.sent = sent
	timer := time.AfterFunc(timeout, func() { cancel(errCallTimeout) })
	defer timer.Stop()
	var held atomic.Int64 // how long questions of the server took
	result, err := x.r.Caller.Call(ctx, upstream.Call{
		Server: c.tool.Server, Tool: c.tool.MCPName, Arguments: c.record.Arguments, Timeout: timeout,
		Sent: func() { x.schedule.launched(c.slot) },
		Asked: func() func() { // a person reads what the server wants to know
			since, release := time.Now(), x.clock.Hold(sandbox.ForPermission)
			timer.Stop()
			return func() {
				release()
				held.Add(int64(time.Since(since)))
				timer.Reset(timeout)
			}
		},
		Progress: func(progress, total float64, message string) {
			if left := most - time.Since(sent) + time.Duration(held.Load()); left > 0 && timer.Stop() {
				timer.Reset(min(timeout, left))
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			if c.record.Status != CallRunning {
				return // too late
			}
			record := c.record
			if n := len(record.Arguments); n > maxArguments {
				record.Arguments = tooMany(n)
			}
			x.emit(Event{Kind: "call", Call: &record, Progress: &Progress{progress, total, message}})
		},
	})
	if err != nil && context.Cause(ctx) == errCallTimeout {
		return nil, errCallTimeout
	}
	if err == nil && result == nil {
		return nil, errors.New("the server returned nothing")
	}
	return result, err
}

// maxCallTime bounds a call however much progress it reports (TIME-3).
var maxCallTime = sync.OnceValue(func() time.Duration {
	return time.Duration(ceiling("mcp.callTimeoutMs")) * time.Millisecond
})

// receive notes what came back.
func (x *run) receive(c *call, r *upstream.Result) {
	size := len(r.Structured) + len(r.Text)
	for _, a := range r.Attachments {
		if !a.InText {
			size += len(a.Data) + len(a.Text)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c.record.ResultBytes = size
	x.attach(c, r.Attachments, false)
}

// maxErrorData is how many characters of an error's data stand for its missing text.
const maxErrorData = 2000

// maxErrorText is how many characters of an error's text a script gets. An error
// carries its text several times, in its stack too.
const maxErrorText = 1 << 20

// toolError ends a call whose result says isError (EXEC-4).
func (x *run) toolError(c *call, r *upstream.Result) *sandbox.CallError {
	text := r.Text
	if strings.TrimSpace(text) == "" && r.Structured != nil {
		text = string(r.Structured)
		if end := byteOffset(text, maxErrorData); end < len(text) {
			text = text[:end] + "…"
		}
	}
	if strings.TrimSpace(text) == "" {
		text = fmt.Sprintf("(%s failed with no output)", c.tool.Name) // OUT-2
	}
	if n := utf8.RuneCountInString(text); n > maxErrorText {
		text = headAndTail(text, maxErrorText, func(out int) string {
			return fmt.Sprintf("\n[… %d of %d characters of the error left out …]\n", out, n)
		})
	}
	return x.fail(c, CallFailed, CodeToolError, text, r.Structured)
}

// failed sorts out a call that brought no result (TIME-2, OUT-3).
func (x *run) failed(ctx context.Context, c *call, err error) *sandbox.CallError {
	var up *upstream.CallError
	timedOut := errors.Is(err, errCallTimeout)
	switch {
	case errors.Is(err, errNotSent):
		return x.fail(c, CallCancelled, CodeCancelled, err.Error(), nil)
	case timedOut:
	case ctx.Err() != nil:
		return x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	case errors.As(err, &up) && up.Reason == upstream.TimedOut:
		timedOut = true
	case up != nil && up.Reason == upstream.Cancelled:
		return x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	}
	x.r.log().Warn("tool call failed", "run", x.id, "tool", c.tool.Name, "err", err, "queuedMs", c.queued.Milliseconds())
	if timedOut {
		return x.fail(c, CallTimedOut, CodeTimeout, c.tool.Name+" timed out: the server did not answer in time", nil)
	}
	code := CodeToolError
	if up != nil {
		code = string(up.Reason)
	}
	return x.fail(c, CallFailed, code, x.r.Redact.Text(normalise(err)), nil)
}
