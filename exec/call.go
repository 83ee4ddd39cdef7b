package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// reserved is the prefix by which the sandbox names a member of
// tools["$codemode"].
const reserved = "$codemode."

// A call is one use of a tool or member that counts. Its record is guarded by
// the run's mu; the rest belongs to the call's goroutine.
type call struct {
	order  int // by which the sandbox knows it
	record CallRecord
	tool   *catalog.Tool // nil for a member
	began  time.Time
	slot   *slot
	asked  *question
	waited time.Duration // for a person
	queued time.Duration
}

// errCallTimeout is the cause of a call's end at its own deadline.
var errCallTimeout = errors.New("the call timed out")

// Call is sandbox.Host's: the one way to an MCP server (spec 05).
func (x *run) Call(ctx context.Context, sc sandbox.Call) (value jsontext.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.r.log().Error("panic in a call", "run", x.id, "panic", p, "stack", string(debug.Stack()))
			value, err = nil, &sandbox.CallError{Message: "internal error in the call of " + shown(sc.Name), Tool: shown(sc.Name)}
		}
	}()
	c, value, err := x.admit(ctx, sc)
	if c == nil || c.tool == nil || err != nil {
		return value, err
	}
	if x.sample != nil {
		return x.pretend(c)
	}
	if c.asked != nil {
		v := x.r.questions.wait(ctx, c.asked)
		c.waited = v.waited
		if !v.allow {
			return nil, x.denied(c, v)
		}
		x.queue(c)
	}
	return x.dispatch(ctx, c)
}

// admit takes a call in, one after the other in the order of the script: look
// up, count, decide, and a place in line. What comes back finished needs no
// more: members of the reserved namespace, and whatever is refused.
func (x *run) admit(ctx context.Context, sc sandbox.Call) (*call, jsontext.Value, error) {
	defer x.admission.done(sc.Index)
	if err := x.admission.wait(ctx, sc.Index); err != nil {
		return nil, nil, err
	}
	if len(sc.Arguments) == 0 {
		sc.Arguments = jsontext.Value(`{}`)
	}
	if member, ok := strings.CutPrefix(sc.Name, reserved); ok {
		return x.admitMember(sc, member)
	}
	pool := x.r.Pool()
	tool, ok := pool.Find(sc.Name)
	if !ok {
		// It never reached the host: it does not count (SUM-5).
		return nil, nil, unknownTool(pool, sc.Name)
	}
	c, err := x.count(sc, tool)
	if err != nil {
		return c, nil, err
	}
	if x.sample != nil {
		return c, nil, nil
	}
	switch effect, rule, reason := x.decide(c); effect {
	case permission.Allow:
		x.queue(c)
	case permission.Deny:
		return c, nil, x.denied(c, verdict{reason: reason})
	default:
		x.status(c, CallWaiting)
		c.asked = x.r.questions.put(x, c, rule)
	}
	return c, nil, nil
}

// count makes the record of a call, or of one over the cap (BUD-7, SUM-5).
func (x *run) count(sc sandbox.Call, tool *catalog.Tool) (*call, error) {
	c := &call{order: sc.Index, tool: tool, began: time.Now()}
	c.record = CallRecord{Tool: sc.Name, Arguments: sc.Arguments.Clone(), Status: CallQueued}
	if tool != nil {
		c.record.Server = tool.Server
	}
	c.record.Range = x.place(sc.At)
	x.mu.Lock()
	defer x.mu.Unlock()
	c.record.Index = len(x.calls)
	over := len(x.calls) >= x.limits.MaxToolCalls
	if over {
		c.record.Status = CallRefused
		c.record.Error = "the script has made all the calls that it may make; this one was not made"
	}
	x.calls = append(x.calls, c)
	x.byIndex[sc.Index] = c
	x.tell(c)
	x.emit(Event{Kind: "summary", Summary: summary(x.calls)}) // SUM-3
	if over {
		return c, &sandbox.CallError{Message: sc.Name + ": " + c.record.Error, Tool: sc.Name, Code: CodeCallCap}
	}
	return c, nil
}

// place is the range of the tool's name in the author's text, or the bare
// position when no use is there.
func (x *run) place(at *script.Position) *script.Range {
	if at == nil {
		return nil
	}
	for _, u := range x.uses() {
		if contains(u.Whole, *at) {
			return &script.Range{Start: u.Whole.Start, End: u.Whole.End}
		}
	}
	return &script.Range{Start: *at, End: *at}
}

func contains(r script.Range, p script.Position) bool {
	before := func(a, b script.Position) bool {
		return a.Line < b.Line || a.Line == b.Line && a.Character <= b.Character
	}
	return before(r.Start, p) && before(p, r.End)
}

// decide applies the rules of this moment, and what a person has granted for
// this run. rule is the one that decided, nil for none; reason says why in words.
func (x *run) decide(c *call) (effect permission.Effect, rule *permission.Rule, reason string) {
	leaf := c.tool.Name
	d := x.r.Rules.Rules().Decide(leaf)
	if d.Effect != permission.Ask {
		return d.Effect, d.Rule, "denied by " + ruleWords(d.Rule)
	}
	x.mu.Lock()
	g, ok := x.grants[leaf]
	x.mu.Unlock()
	if ok && g.covers(d.Rule) {
		return g.effect, d.Rule, "denied by the user for this run"
	}
	a := c.tool.Annotations
	if d.Rule == nil && a.ReadOnly != nil && *a.ReadOnly && (a.Destructive == nil || !*a.Destructive) &&
		x.r.ReadOnlyAllowed != nil && x.r.ReadOnlyAllowed(c.tool.Server) {
		return permission.Allow, nil, "" // PERM-9
	}
	return permission.Ask, d.Rule, ""
}

// queue gives an allowed call its place in line.
func (x *run) queue(c *call) {
	k := classOf(c.tool.Annotations)
	if x.r.Together != nil && x.r.Together(c.tool.Server) {
		k = together
	}
	c.slot = &slot{order: c.order, class: k, server: c.tool.Server}
	if !x.schedule.enter(c.slot) {
		x.status(c, CallQueued)
	}
}

// dispatch waits for the call's turn and makes it.
func (x *run) dispatch(ctx context.Context, c *call) (jsontext.Value, error) {
	defer x.schedule.leave(c.slot)
	entered := time.Now()
	release := x.clock.Hold(sandbox.ForQueue)
	err := x.schedule.wait(ctx, c.slot)
	release()
	c.queued = time.Since(entered)
	if err != nil {
		return nil, x.fail(c, CallCancelled, CodeCancelled, "cancelled before it was sent", nil)
	}
	x.status(c, CallRunning)
	result, err := x.send(ctx, c)
	if err != nil {
		return nil, x.failed(ctx, c, err)
	}
	return x.receive(c, result)
}

// send calls the server, with a deadline that begins now (TIME-1) and begins
// anew with each progress notification, up to a ceiling (TIME-3).
func (x *run) send(ctx context.Context, c *call) (*upstream.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timeout, most := x.limits.CallTimeout, maxCallTime()
	if timeout <= 0 {
		timeout = config.DefaultLimits().CallTimeout
	}
	sent := time.Now()
	timer := time.AfterFunc(timeout, func() { cancel(errCallTimeout) })
	defer timer.Stop()
	x.schedule.launched(c.slot)
	result, err := x.r.Caller.Call(ctx, upstream.Call{
		Server: c.tool.Server, Tool: c.tool.MCPName, Arguments: c.record.Arguments,
		Progress: func(progress, total float64, message string) {
			if left := most - time.Since(sent); left > 0 && timer.Stop() {
				timer.Reset(min(timeout, left))
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			if c.record.Status != CallRunning {
				return // too late
			}
			record := c.record
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

func maxCallTime() time.Duration {
	return time.Duration(ceiling("mcp.callTimeoutMs")) * time.Millisecond
}

// receive turns a result into the value that the script gets (EXEC-3, EXEC-4).
func (x *run) receive(c *call, r *upstream.Result) (jsontext.Value, error) {
	size := len(r.Structured) + len(r.Text)
	for _, a := range r.Attachments {
		size += len(a.Data) + len(a.Text)
	}
	x.mu.Lock()
	c.record.ResultBytes = size
	for _, a := range r.Attachments {
		x.attach(c, a)
	}
	x.mu.Unlock()
	if r.IsError {
		text := r.Text
		if strings.TrimSpace(text) == "" {
			text = fmt.Sprintf("(%s failed with no output)", c.tool.Name) // OUT-2
		}
		return nil, x.fail(c, CallFailed, CodeToolError, text, r.Structured)
	}
	value := jsontext.Value("null")
	switch {
	case r.Structured != nil:
		value = r.Structured
	case r.HasText:
		value = quote(r.Text)
	}
	if len(value) > x.limits.MaxValueBytes {
		return nil, x.fail(c, CallFailed, CodeTooLarge, "the result is too large for a script", nil)
	}
	x.status(c, CallCompleted)
	return value, nil
}

// failed sorts out a call that brought no result (TIME-2, OUT-3).
func (x *run) failed(ctx context.Context, c *call, err error) error {
	var up *upstream.CallError
	timedOut := errors.Is(err, errCallTimeout)
	switch {
	case timedOut:
	case ctx.Err() != nil:
		return x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	case errors.As(err, &up) && up.Reason == upstream.TimedOut:
		timedOut = true
	case up != nil && up.Reason == upstream.Cancelled:
		return x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	}
	x.r.log().Warn("tool call failed", "run", x.id, "tool", c.tool.Name, "err", err)
	if timedOut {
		return x.fail(c, CallTimedOut, CodeTimeout, c.tool.Name+" timed out: the server did not answer in time", nil)
	}
	code := CodeToolError
	if up != nil {
		code = string(up.Reason)
	}
	return x.fail(c, CallFailed, code, normalise(err), nil)
}

// denied ends a call that may not be made.
func (x *run) denied(c *call, v verdict) error {
	if v.cancelled {
		return x.fail(c, CallCancelled, CodeCancelled, "cancelled while waiting for permission", nil)
	}
	return x.fail(c, CallDenied, CodeDenied, c.tool.Name+": "+v.reason, nil)
}

// fail ends a call's record and makes the error that the script sees.
func (x *run) fail(c *call, status CallStatus, code, message string, structured jsontext.Value) *sandbox.CallError {
	x.mu.Lock()
	c.record.Status = status
	c.record.Error = fold(message)
	x.finished(c)
	x.tell(c)
	x.mu.Unlock()
	return &sandbox.CallError{Message: message, Tool: c.record.Tool, Structured: structured, Code: code}
}

// status moves a call's record on.
func (x *run) status(c *call, s CallStatus) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c.record.Status = s
	if s == CallCompleted {
		x.finished(c)
	}
	x.tell(c)
}

// finished notes how long a call took. x.mu is held.
func (x *run) finished(c *call) {
	c.record.Timing = &CallTiming{
		TotalMs:      time.Since(c.began).Milliseconds(),
		PermissionMs: c.waited.Milliseconds(),
		QueuedMs:     c.queued.Milliseconds(),
	}
}

// tell sends the record of a call as it is now. x.mu is held.
func (x *run) tell(c *call) {
	record := c.record
	x.emit(Event{Kind: "call", Call: &record})
}

// unknownTool is the error for a name outside the pool (EXEC-6).
func unknownTool(pool *catalog.Catalog, name string) error {
	message := fmt.Sprintf("%s is not available: only MCP tools can be reached from a script, and none has this name. "+
		`Find tools with tools["$codemode"].search({ query: "..." }).`, shown(name))
	if close := pool.Closest(name, 3); len(close) > 0 {
		message += " Did you mean " + strings.Join(close, " or ") + "?"
	}
	return &sandbox.CallError{Message: message, Tool: shown(name), Code: CodeUnknownTool}
}

// shown is a name that a script made up, fit for one line.
func shown(name string) string {
	const most = 128
	name = fold(name)
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// quote is a text as a JSON string; what is not UTF-8 becomes U+FFFD.
func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	return b
}
