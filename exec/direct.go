package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/exec/input"
	"codemode-ls/sandbox"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxGroup is how many direct calls run at the same time (SCHED-2).
const maxGroup = 10

// DirectRequest is one call that an agent makes itself, not inside a script, or a
// list of them (SCHED-2).
type DirectRequest struct {
	Calls []DirectCall
	// Agent says which names may be called (COL-1).
	Agent     catalog.Agent
	SessionID string // "" is "default"
	// Asker is who is asked; nil denies ("no permission client is configured").
	Asker  Asker
	Person string // as in Request
	// Models runs models for scripts; nil: there are none.
	Models Models
	// Events, when set, receives what happens, in order. It must not block.
	Events func(Event)
}

// DirectCall is one of them.
type DirectCall struct {
	ID        string // given back with the result
	Name      string // Exec, the full name of a tool, or that of a script
	Arguments jsontext.Value
}

// CallDirect makes direct calls and waits for their results, which are in the
// order of the calls. Neighbours that may run together do, at most maxGroup of
// them; groups run one after the other. What goes wrong with a call is in its
// result.
func (r *Runner) CallDirect(ctx context.Context, q DirectRequest) []CallResult {
	d := &direct{r: r, q: q, results: make([]CallResult, len(q.Calls))}
	defer d.end()
	for from := 0; from < len(q.Calls); {
		to := from + 1
		for to < len(q.Calls) && to-from < maxGroup && d.mayOverlap(q.Calls[from]) && d.mayOverlap(q.Calls[to]) {
			to++
		}
		d.group(ctx, from, to)
		from = to
	}
	return d.results
}

// direct is what the direct calls of one request share.
type direct struct {
	r       *Runner
	q       DirectRequest
	results []CallResult

	// x is the run that the calls of tools belong to; nil until there is one.
	x   *run
	ctx context.Context // of x

	mu      sync.Mutex
	stopped bool // a person said "deny and stop"; guarded by mu
}

// mayOverlap reports whether a call may run beside others. Exec never may (SCHED-3).
func (d *direct) mayOverlap(c DirectCall) bool {
	pool := d.r.Pool()
	t, ok := pool.Find(c.Name)
	return ok && pool.DirectCall(d.q.Agent, c.Name) && d.r.classOf(t) == together && !pool.Cached(t)
}

// group makes neighbouring calls that may run together. They enter the funnel in
// their order, and pass it side by side.
func (d *direct) group(ctx context.Context, from, to int) {
	var passing sync.WaitGroup
	for i := from; i < to; i++ {
		c, result := d.q.Calls[i], &d.results[i]
		*result = CallResult{ID: c.ID, Name: c.Name, Display: CallDisplay{Arguments: d.r.Redact.JSON(c.Arguments)}}
		tool, e := d.admit(ctx, &c)
		switch {
		case e != nil:
			result.refuse(e)
		case tool == nil:
			d.script(ctx, c, result)
		default:
			d.begin(ctx)
			// There is no cap on direct calls.
			made, _ := d.x.count(sandbox.Call{Index: i, Name: c.Name, Arguments: c.Arguments}, tool)
			d.x.enter(d.ctx, made)
			passing.Go(func() { d.pass(made, result) })
		}
	}
	passing.Wait()
}

// admit decides where a call is created whether it can be one (COL-1, COL-2): no
// rule, hook or person sees one that cannot. It normalises the arguments. The
// tool is nil for Exec and for scripts.
func (d *direct) admit(ctx context.Context, c *DirectCall) (*catalog.Tool, *sandbox.CallError) {
	d.mu.Lock()
	stopped := d.stopped
	d.mu.Unlock()
	switch {
	case stopped:
		return nil, &sandbox.CallError{Code: CodeAborted, Message: aborted.reason}
	case ctx.Err() != nil, d.ctx != nil && d.ctx.Err() != nil:
		return nil, &sandbox.CallError{Code: CodeCancelled, Message: "cancelled before it was made"}
	}
	arguments, err := normalArguments(c.Arguments)
	if err != nil {
		return nil, &sandbox.CallError{Code: CodeArguments, Message: err.Error()}
	}
	c.Arguments = arguments
	pool := d.r.Pool()
	tool, ok := pool.Find(c.Name)
	if d.q.Agent.Flat(c.Name) && (!ok || pool.Cached(tool)) {
		wait, unavailable := d.r.await(c.Name)
		if wait != nil {
			unavailable = wait(ctx)
			if ctx.Err() != nil {
				return nil, &sandbox.CallError{Code: CodeCancelled, Message: "cancelled before it was made"}
			}
			pool = d.r.Pool()
		}
		var refused *sandbox.CallError
		if tool, err = lookUp(pool, c.Name, unavailable); errors.As(err, &refused) && refused.Code == CodeUnavailable {
			return nil, refused
		}
	}
	if !pool.DirectCall(d.q.Agent, c.Name) {
		return nil, &sandbox.CallError{Code: CodeUnknownTool, Message: unknownDirect(pool, d.q.Agent, c.Name)}
	}
	return tool, nil
}

// normalArguments are one JSON object in one line: what rules, person, record and
// server see (PERM-5).
func normalArguments(v jsontext.Value) (jsontext.Value, error) {
	switch {
	case len(v) == 0 || v.Kind() == 'n':
		return jsontext.Value("{}"), nil // EXEC-5
	case v.Kind() != '{':
		return nil, errors.New("the arguments must be one JSON object")
	}
	v = v.Clone()
	if err := v.Compact(jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false)); err != nil {
		return nil, fmt.Errorf("the arguments are not JSON that can be sent: %w", err)
	}
	return v, nil
}

// unknownDirect says what can be called instead of a name that cannot.
func unknownDirect(pool *catalog.Catalog, a catalog.Agent, name string) string {
	if pool.DirectCall(a, catalog.ExecName) {
		return fmt.Sprintf("there is no tool %s to call directly; MCP tools are called inside of scripts, as tools[%q]({ … }), and %s runs scripts",
			shown(name), shown(name), catalog.ExecName)
	}
	message := "there is no tool " + shown(name)
	if close := pool.Closest(name, 3); len(close) > 0 {
		message += "; did you mean " + strings.Join(close, " or ") + "?"
	}
	return message
}

// begin makes the run that the calls of tools belong to: its grants, its place in
// the history, its cancellation.
func (d *direct) begin(ctx context.Context) {
	if d.x != nil {
		return
	}
	x, ctx := d.r.begin(ctx, Request{SessionID: d.q.SessionID, Asker: d.q.Asker, Person: d.q.Person, Events: d.q.Events})
	x.setLimits(d.r.Limits())
	x.limits.MaxToolCalls = len(d.q.Calls)
	x.schedule.cap = maxGroup
	x.clock = sandbox.NewClock()
	x.stop = func(string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stopped = true
	}
	d.x, d.ctx = x, ctx
}

// pass takes a call through the funnel, and makes its result.
func (d *direct) pass(c *call, result *CallResult) {
	x := d.x
	defer func() {
		if p := recover(); p != nil {
			x.r.log().Error("panic in a direct call", "run", x.id, "panic", p, "stack", string(debug.Stack()))
			result.refuse(x.fail(c, CallFailed, CodeToolError, "internal error in the call of "+c.tool.Name, nil))
		}
	}()
	value, err := x.pass(d.ctx, c)
	switch {
	case err == nil && value.IsError:
		err = x.toolError(c, value)
	case err == nil:
		x.status(c, CallCompleted)
	}
	x.mu.Lock()
	record, kept := x.cleanRecord(c.record), x.output.of(c.order)
	x.mu.Unlock()
	cleanOutput(x, kept)
	result.Status, result.Stop = record.Status, c.ruled.stop
	result.Display = CallDisplay{
		RunID: x.id, Server: c.tool.Server, Title: c.tool.Title, Arguments: record.Arguments,
		DurationMs: record.Timing.TotalMs, Timing: record.Timing, Bytes: record.ResultBytes,
		Output: kept, Error: record.Error,
	}
	if value != nil {
		result.Display.Dropped = -len(kept)
		for _, a := range value.Attachments {
			if !a.InText {
				result.Display.Dropped++
			}
		}
		if len(value.Structured) <= x.limits.MaxInlineBytes {
			result.Display.Structured = x.r.Redact.JSON(value.Structured)
		}
	}
	var e *sandbox.CallError
	if errors.As(err, &e) {
		result.Code = e.Code
		result.Text = withContext(x.inline(c, e.Message+c.aside(), result), record.Context)
		return
	}
	result.Text = withContext(x.keepData(value, x.inline(c, textOf(c, value, kept, result.Display.Dropped), result), result), record.Context)
}

// script runs Exec, or the script that the call names.
func (d *direct) script(ctx context.Context, c DirectCall, result *CallResult) {
	q := Request{Language: script.TypeScript, SessionID: d.q.SessionID, Asker: d.q.Asker, Person: d.q.Person, Models: d.q.Models, Events: d.q.Events}
	if c.Name == catalog.ExecName {
		var in struct {
			Code *string `json:"code"`
		}
		if err := json.Unmarshal(c.Arguments, &in, json.RejectUnknownMembers(true)); err != nil || in.Code == nil {
			result.refuse(&sandbox.CallError{Code: CodeArguments, Message: catalog.ExecName + ` takes one argument, "code": the text of a script`})
			return
		}
		q.Code = *in.Code
	} else {
		var ok bool
		if q.Code, q.Language, ok = d.r.script(c.Name); !ok {
			result.refuse(&sandbox.CallError{Code: CodeUnknownTool, Message: fmt.Sprintf("the script %s is not offered any more", shown(c.Name))})
			return
		}
		q.Input, q.WholeValue = c.Arguments, true
	}
	began := time.Now()
	run, cause := d.r.run(ctx, q)
	result.ofRun(run)
	if c.Name != catalog.ExecName && run.Status == Completed {
		d.r.structure(ctx, q, run, result)
	}
	result.Display.Arguments = d.r.Redact.JSON(c.Arguments)
	result.Display.DurationMs = time.Since(began).Milliseconds()
	var s *stopped
	if errors.As(cause, &s) {
		result.Stop = true
		d.mu.Lock()
		d.stopped = true
		d.mu.Unlock()
	}
}

func (r *Runner) script(name string) (code string, l script.Language, ok bool) {
	if r.Script == nil {
		return "", "", false
	}
	return r.Script(name)
}

// structure adds the value of a script that was called as a tool. One that is not what
// the script's type says fails the call: agents go by the type.
func (r *Runner) structure(ctx context.Context, q Request, run *Result, result *CallResult) {
	if r.Check != nil {
		contract, err := r.Check.Contract(ctx, script.Read(q.Code), q.Language, r.Pool())
		if err == nil && contract.Output.Kind() == '{' {
			value := run.Value
			if !run.HasValue {
				value = jsontext.Value("null")
			}
			if misfits, err := input.Check(contract.Output, value); err == nil && len(misfits) > 0 {
				result.Status, result.Code = CallFailed, CodeToolError
				result.Text += "\n\nThe script returned something else than its type says:\n" + misfitLines(misfits)
				return
			}
		}
	}
	if run.Value.Kind() == '{' {
		result.Display.Structured = run.Value
	}
}

// end keeps what the calls of tools were as a run (OBS-2).
func (d *direct) end() {
	if d.x == nil {
		return
	}
	defer d.x.cancel(nil)
	d.x.asking.Wait()
	r := d.x.collect(Completed, sandbox.Outcome{})
	var texts []string
	for _, c := range d.results {
		if c.Display.RunID != d.x.id {
			continue
		}
		texts = append(texts, c.Text)
		if r.Status == Completed && c.Status != CallCompleted {
			r.Status, r.Summary = runStatus[c.Status], "failed"
			r.Error = &Error{Name: "Error", Message: c.Display.Error, Code: c.Code}
		}
	}
	r.Text = strings.Join(texts, "\n\n")
	d.x.clean(r)
	d.x.end(r)
}

// runStatus is the status of a run of direct calls of which one has ended so.
var runStatus = map[CallStatus]Status{
	CallFailed: CodeError, CallDenied: Denied, CallCancelled: Cancelled, CallTimedOut: Timeout,
}
