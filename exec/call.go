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

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/typegen/seen"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// The funnel: the one way to an MCP server (spec 05), for a script's calls and
// for direct ones. A call that has been looked up and counted goes through
//
//	enter  rules; in the order in which calls were made
//	pass   a person, the queue, the server; in a goroutine of the call's own
//
// and whoever made it turns what comes back into what its caller gets.

// A call is one use of a tool or member that counts. Its record is guarded by
// the run's mu; the rest belongs to the call's goroutine.
type call struct {
	order    int // in which the calls of the run were made
	record   CallRecord
	tool     *catalog.Tool // nil for a member
	began    time.Time
	slot     *slot         // in the queue, once the call is allowed
	question *question     // when a person or a hook has to decide
	ruled    verdict       // once it is decided
	waited   time.Duration // for a person
	queued   time.Duration
	id       string // unique; of a call that hooks are told about
	// replacedBy is the hook that has replaced its arguments, or "".
	replacedBy string
	span       *telemetry.Span
	sent       time.Time // to its server; zero until then
	// result is what the script got, for those who look at the run later (OBS-2).
	result jsontext.Value
	// later is what a member does outside of the order of the script, or nil.
	later func(context.Context) (jsontext.Value, error)
}

// A verdict says whether a call may be made, and by what that was decided.
type verdict struct {
	allow bool
	// reason of a denial, for whoever made the call.
	reason string
	// rule that decided, nil for none. Of a question it is the rule that said "ask".
	rule *permission.Rule
	// asking are all rules that say "ask", when a person has to be asked.
	asking []*permission.Rule
	// by is what decided, of the constants below.
	by string
	// scope of the answer or grant that decided.
	scope Scope
	// hook that decided, by name and place.
	hook string
	// loop that has one call less for it (PERM-12); see unused.
	loop *loop
	// stop: the person wants the calls that come after this one not to be made.
	stop bool
	// waited is how long it took.
	waited time.Duration
}

// What decides on a call.
const (
	byRule     = "rule"
	byGrant    = "grant"    // an answer of before, for the run
	byReadOnly = "readOnly" // trusted annotations (PERM-9)
	byAnswer   = "answer"   // a person
	byHook     = "hook"     // a command around the call
	byNobody   = "nobody"   // there is none to ask (PERM-7)
	byEnd      = "end"      // the run ended while the call waited
	byStop     = "stop"     // a person said "deny and stop" to another call
)

// effect of a verdict in the words of the rules.
func (v verdict) effect() permission.Effect {
	if v.allow {
		return permission.Allow
	}
	return permission.Deny
}

// errCallTimeout is the cause of a call's end at its own deadline.
var errCallTimeout = errors.New("the call timed out")

// count makes the record of a call, or of one over the cap (BUD-7, SUM-5).
func (x *run) count(sc sandbox.Call, tool *catalog.Tool) (*call, error) {
	if err := x.overflow(sc.Name); err != nil {
		return nil, err
	}
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
		c.record.Status, c.record.NotSent = CallRefused, true
		c.record.Error = overCap
	}
	if tool != nil {
		c.span = x.span.Call(tool.Name, c.began, "codemode.server", tool.Server)
	}
	x.calls = append(x.calls, c)
	x.byIndex[sc.Index] = c
	x.counted(sc.Name)
	x.tell(c)
	x.emit(Event{Kind: "summary", Summary: x.summary()}) // SUM-3
	if over {
		c.span.Fail(CodeCallCap)
		c.span.End()
		return c, refusal(sc.Name)
	}
	return c, nil
}

const overCap = "the script has made all the calls that it may make; this one was not made"

func refusal(tool string) error {
	return &sandbox.CallError{Message: tool + ": " + overCap, Tool: tool, Code: CodeCallCap}
}

// How much of its calls a run's records hold: a script that goes on for ever must
// not fill the memory of the server (BUD-5).
const (
	maxRefused   = 100     // calls over the cap that have a record; the rest are counted
	maxArguments = 1 << 20 // bytes of one call's arguments, once it has ended
	maxRecorded  = 8 << 20 // of all
)

// overflow refuses a call over the cap that gets no record.
func (x *run) overflow(tool string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.calls)-maxRefused < x.limits.MaxToolCalls {
		return nil
	}
	x.unlisted++
	x.counted(tool)
	if x.unlisted == 1 {
		x.emit(Event{Kind: "summary", Summary: x.summary()})
	}
	return refusal(tool)
}

// tooMany stands for arguments that are too large for a record.
func tooMany(n int) jsontext.Value { return quote(fmt.Sprintf("(%d bytes, too many to be shown)", n)) }

// counted notes a call for the summary. x.mu is held.
func (x *run) counted(tool string) {
	x.last = append(x.last[max(0, len(x.last)-1):], tool)
}

// shed bounds the arguments in the record of a call that has ended: a text with
// their size is in the place of what is too large.
func (x *run) shed(c *call) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(c.record.Arguments)
	if n > maxArguments || x.recorded+n > maxRecorded {
		c.record.Arguments = tooMany(n)
		n = len(c.record.Arguments)
	}
	x.recorded += n
}

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

// decided is where every decision on a call passes, once, before it is sent.
func (x *run) decided(c *call, v verdict) {
	x.r.log().Debug("call decided", "run", x.id, "tool", c.tool.Name, "allow", v.allow, "by", v.by)
	x.audited(c, v)
	x.pinFirst(c, v)
	c.span.Set("codemode.permission.by", v.by)
}

// decide applies the rules of this moment, and what a person has granted for
// this run. When a person has to be asked, decided is false. Whoever does not
// use the verdict gives it back (unused).
func (x *run) decide(c *call) (v verdict, decided bool) {
	leaf := c.tool.Name
	rules := x.r.Rules.Rules()
	d := rules.Decide(leaf)
	if d.Effect == permission.Deny {
		return verdict{reason: "denied by " + ruleWords(d.Rule), rule: d.Rule, by: byRule}, true
	}
	x.mu.Lock()
	g, ok := x.grants[leaf]
	if d.Effect == permission.Allow && (!ok || g.lifts(d.Rule)) {
		x.mu.Unlock()
		return verdict{allow: true, rule: d.Rule, by: byRule}, true
	}
	var l *loop
	if ok || x.loops[leaf] != nil {
		asking := rules.Asking(leaf)
		if ok = ok && g.covers(asking); !ok {
			l = x.takeLoop(leaf, c.record.Arguments, asking)
		}
	}
	x.mu.Unlock()
	switch {
	case ok:
		return verdict{allow: g.effect == permission.Allow, reason: "denied by the user for this run", rule: d.Rule, by: byGrant, scope: ForRun}, true
	case l != nil:
		return verdict{allow: true, rule: d.Rule, by: byGrant, scope: ForLoop, loop: l}, true
	}
	a := c.tool.Annotations
	if d.Rule == nil && rules.Inherits(leaf) && !rules.Changed(leaf) && a.ReadOnly != nil && *a.ReadOnly && (a.Destructive == nil || !*a.Destructive) &&
		x.r.ReadOnlyAllowed != nil && x.r.ReadOnlyAllowed(c.tool.Server) {
		return verdict{allow: true, by: byReadOnly}, true // PERM-9
	}
	return verdict{rule: d.Rule, asking: rules.Asking(leaf)}, false
}

// queue gives an allowed call its place in line.
func (x *run) queue(c *call) {
	c.slot = &slot{order: c.order, class: x.r.classOf(c.tool), server: c.tool.Server}
	if !x.schedule.enter(c.slot) {
		x.status(c, CallQueued)
	}
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

// errNotSent is the end of a call whose turn did not come.
var errNotSent = errors.New("cancelled before it was sent")

// send calls the server, with a deadline that begins now (TIME-1) and begins
// anew with each progress notification, up to a ceiling (TIME-3).
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

// denied ends a call that may not be made.
func (x *run) denied(c *call, v verdict) error {
	switch v.by {
	case byEnd:
		return x.fail(c, CallCancelled, CodeCancelled, v.reason, nil)
	case byStop:
		return x.fail(c, CallCancelled, CodeAborted, v.reason, nil)
	}
	return x.fail(c, CallDenied, CodeDenied, c.tool.Name+": "+v.reason, nil)
}

// fail ends a call's record and makes the error that the script sees.
func (x *run) fail(c *call, status CallStatus, code, message string, structured jsontext.Value) *sandbox.CallError {
	x.mu.Lock()
	c.record.Status = status
	c.record.Error = fold(x.r.Redact.Text(message)) + c.aside()
	c.span.Fail(code)
	x.finished(c)
	x.tell(c)
	x.mu.Unlock()
	return &sandbox.CallError{Message: message, Tool: c.record.Tool, Structured: structured, Code: code}
}

// aside is what a record says beside its error: how long a call that timed out had
// been queued (TIME-2). A script does not get it: the time differs in each run
// (RES-4).
func (c *call) aside() string {
	queued := c.queued.Round(time.Millisecond)
	if c.record.Status != CallTimedOut || queued == 0 {
		return ""
	}
	return fmt.Sprintf(" (it had been queued for %s before)", queued)
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

// finished notes how long a call took, and when in its run. x.mu is held.
func (x *run) finished(c *call) {
	now := time.Now()
	switch c.record.Status {
	case CallDenied, CallRefused:
		c.record.NotSent = true
	case CallCancelled:
		c.record.NotSent = x.neverSent(c)
	}
	c.record.Timing = &CallTiming{
		TotalMs:      now.Sub(c.began).Milliseconds(),
		PermissionMs: c.waited.Milliseconds(),
		QueuedMs:     c.queued.Milliseconds(),
		StartMs:      c.began.Sub(x.started).Milliseconds(),
		EndMs:        now.Sub(x.started).Milliseconds(),
	}
	if !c.sent.IsZero() {
		c.record.Timing.RunMs = now.Sub(c.sent).Milliseconds()
	}
	c.endSpan()
}

// tell sends the record of a call as it is now. x.mu is held.
func (x *run) tell(c *call) {
	record := c.record
	if n := len(record.Arguments); n > maxArguments {
		record.Arguments = tooMany(n) // an editor's row does not need them each time
	}
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
