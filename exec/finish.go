package exec

import (
	"context"
	"fmt"
	"slices"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/sandbox"
	"codemode-ls/script"
)

// finish makes the result of a run from how its sandbox ended.
func (x *run) finish(ctx context.Context, o sandbox.Outcome, pool *catalog.Catalog) *Result {
	x.asking.Wait()
	x.settle(o)
	if o.Status == sandbox.Completed && !x.commit() {
		x.warn("what the script stored was not kept: another script of this session has used up the room")
	}
	status, e := x.ending(ctx, o)
	var found []Diagnostic
	if status == CodeError && x.request.Check != "off" && (o.Status == sandbox.Thrown || o.Status == sandbox.Invalid) {
		found = x.explain(ctx, pool)
	}
	x.mu.Lock()
	for _, w := range o.Warnings {
		x.warnings = append(x.warnings, Warning{Message: w.Message, Path: w.Path, Range: pointRange(w.At)})
	}
	if o.Status == sandbox.Completed {
		x.unplayed()
	}
	x.mu.Unlock()
	result := x.assemble(status, e, found, o)
	return result
}

// settle closes the records of calls that were cut off by the script's end
// (EXEC-14).
func (x *run) settle(o sandbox.Outcome) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, index := range o.InFlight {
		c := x.byIndex[index]
		if c == nil {
			continue
		}
		if o.Status == sandbox.Completed || o.Status == sandbox.Thrown {
			x.warnings = append(x.warnings, Warning{Message: x.unfinished(c), Range: c.record.Range})
		}
	}
	for _, c := range x.calls {
		switch c.record.Status {
		case CallQueued, CallWaiting, CallRunning:
			c.record.Status = CallCancelled
			c.record.Error = "cancelled"
			if x.neverSent(c) {
				c.record.Error = errNotSent.Error()
			}
			x.finished(c)
			x.reportCall(c)
		}
	}
}

// unfinished describes a call whose answer the script did not wait for (EXEC-14).
// x.mu is held.
func (x *run) unfinished(c *call) string {
	name := fmt.Sprintf("call %d (%s)", c.record.Index+1, c.record.Tool)
	switch c.record.Status {
	case CallQueued, CallWaiting, CallRunning, CallCancelled:
	default: // it had its answer, which was on its way to the script
		return fmt.Sprintf("the script ended before it got the answer of %s, %s: await it", name, c.record.Status)
	}
	switch {
	case c.tool == nil || x.request.Replay != nil: // no server receives it
		return name + " was still in flight when the script ended, and was cancelled: await it"
	case x.neverSent(c):
		return name + " was not sent, because the script ended before: await it"
	}
	return name + " was still in flight when the script ended, and was cancelled; it may have taken effect: await it"
}

func (x *run) commit() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sample != nil || x.request.Replay != nil || x.session.commit(x.writes)
}

const staysInEffect = "; calls that had already finished stay in effect"

// budgetEndings are the ends of runs that a budget ended. No limit's number is in
// the messages, because a model reads them (RES-4).
var budgetEndings = map[sandbox.Status]struct {
	status                       Status
	setting, name, code, message string
}{
	sandbox.TimedOut:  {Timeout, "exec.timeoutMs", "TimeoutError", CodeTimeout, "the script exceeded its time budget and was ended"},
	sandbox.Overspent: {BudgetExceeded, "exec.activeMs", "BudgetError", CodeActive, "the script exceeded its budget of active compute and was ended"},
	sandbox.Memory:    {BudgetExceeded, "exec.memoryMB", "BudgetError", CodeMemory, "the script exceeded its memory and was ended"},
}

// ending is the status of a run, and its error as text that somebody can act on
// (BUD-1, BUD-12).
func (x *run) ending(ctx context.Context, o sandbox.Outcome) (Status, *Error) {
	if o.Status == sandbox.Completed {
		return Completed, nil
	}
	e := &Error{Name: "Error"}
	if o.Error != nil {
		e.Name, e.Message, e.Stack, e.Code = o.Error.Name, o.Error.Message, o.Error.Stack, o.Error.Code
		e.Range = pointRange(o.Error.At)
	}
	set := func(name, code, message string) {
		e.Name, e.Code, e.Message = name, code, message
	}
	if end, ok := budgetEndings[o.Status]; ok {
		set(end.name, end.code, end.message+staysInEffect)
		x.endedBy = end.setting
		return end.status, e
	}
	switch o.Status {
	case sandbox.Cancelled:
		e.Range, e.Stack = nil, ""
		if s, ok := context.Cause(ctx).(*stopped); ok {
			set("PermissionDenied", CodeDenied, s.reason+"; the run was stopped")
			return Denied, e
		}
		set("Cancelled", CodeCancelled, "the run was cancelled"+staysInEffect)
		return Cancelled, e
	case sandbox.Crashed:
		if e.Message == "" {
			e.Message = "the sandbox process ended unexpectedly"
		}
		set("SandboxError", CodeCrashed, e.Message+staysInEffect+", and the script can be run again")
		return CodeError, e
	case sandbox.Stalled:
		if e.Code == "" {
			e.Code = CodeStalled
		}
		return CodeError, e
	}
	if o.Error == nil {
		e.Message = "the script failed"
		return CodeError, e
	}
	return x.thrown(o.Error.Call, e), e
}

// thrown is the status of a script that ended by an uncaught error, which may
// be the rejection of a call (EXEC-7, PERM-3).
func (x *run) thrown(index int, e *Error) Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.byIndex[index]
	switch {
	case index >= 0 && c == nil && e.Code == CodeCallCap: // it has no record
		x.endedBy = "exec.maxToolCalls"
		return BudgetExceeded
	case index < 0 || c == nil:
		return CodeError
	}
	n := c.record.Index
	e.ToolCall = &n
	if e.Range == nil {
		e.Range = c.record.Range
	}
	switch c.record.Status {
	case CallDenied:
		return Denied
	case CallRefused:
		x.endedBy = "exec.maxToolCalls"
		return BudgetExceeded
	}
	return CodeError
}

// explainTime is how long a failed script's result waits for the type check.
const explainTime = 5 * time.Second

// explainGrace is how far the type check may exceed the run's own time budget.
const explainGrace = 300 * time.Millisecond

// explain are the findings that may explain why a script failed.
func (x *run) explain(ctx context.Context, pool *catalog.Catalog) []Diagnostic {
	if ctx.Err() != nil {
		return nil
	}
	// The budget counts for this too; what is late is left out.
	left := max(0, x.limits.Timeout-x.clock.Elapsed()) + explainGrace
	ctx, cancel := context.WithTimeout(ctx, min(explainTime, left))
	defer cancel()
	return slices.DeleteFunc(x.diagnose(ctx, pool), func(d Diagnostic) bool { return d.Severity != 1 })
}

func pointRange(at *script.Position) *script.Range {
	if at == nil {
		return nil
	}
	return &script.Range{Start: *at, End: *at}
}

// result is that of a run that no sandbox was started for.
func (x *run) result(status Status, e *Error, found []Diagnostic) *Result {
	return x.assemble(status, e, found, sandbox.Outcome{})
}

// collect is the part of a result that the run itself has gathered.
func (x *run) collect(status Status, o sandbox.Outcome) *Result {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := &Result{
		RunID: x.id, Status: status,
		Logs:     append([]Log{}, x.logs...),
		Output:   x.output.sorted(),
		Calls:    make([]CallRecord, len(x.calls)),
		Warnings: x.allWarnings(),
		LogsCut:  o.LogsCut,
		Timing:   Timing{WallMs: o.Wall.Milliseconds(), ActiveMs: o.Active.Milliseconds()},
	}
	for i, c := range x.calls {
		r.Calls[i] = c.record
	}
	if x.unlisted > 0 {
		r.Warnings = append(r.Warnings, Warning{Message: fmt.Sprintf("%s over the cap were refused and are not listed", plural(x.unlisted, "call"))})
	}
	if x.clock != nil {
		r.Timing.PermissionMs = x.clock.Held(sandbox.ForPermission).Milliseconds()
		r.Timing.QueuedMs = x.clock.Held(sandbox.ForQueue).Milliseconds()
	}
	if d := x.output.dropped; d.Images > 0 {
		r.Dropped = &d
	}
	if x.usage != nil {
		usage := *x.usage
		r.Usage = &usage
	}
	r.Summary = "failed" // SUM-4
	if status == Completed {
		r.Summary = x.summary()
	}
	return r
}

// assemble puts the result together, as data and as text.
func (x *run) assemble(status Status, e *Error, found []Diagnostic, o sandbox.Outcome) *Result {
	r := x.collect(status, o)
	r.Error, r.Diagnostics, r.Budget = e, found, x.budget()
	if o.Status == sandbox.Completed && o.HasValue {
		r.HasValue, r.Value = true, o.Value
	}
	x.clean(r)
	body := text{result: r, wall: o.Wall, logsCut: o.LogsCut, dry: x.sample != nil, maxValue: x.limits.MaxResultChars, maxTokens: x.limits.MaxOutputTokens}
	body.artifact = func(whole string) string { return x.artifact(whole) }
	r.Text = body.render()
	if r.HasValue && body.valueCut && !x.request.WholeValue {
		// It is in an artifact (BUD-9), and kept for codemode/value.
		r.ValueOmitted = &ValueOmitted{Bytes: len(r.Value), Artifact: x.artifact(plain(r.Value))}
		x.omitted, r.Value = r.Value, nil
	}
	return r
}

// diagnose are the findings of the check; that it cannot be made is a warning.
func (x *run) diagnose(ctx context.Context, pool *catalog.Catalog) []Diagnostic {
	if x.unchecked(pool) {
		if x.request.Check == "error" {
			x.warn("the script was not type-checked: in a replay without servers there are no declarations")
		}
		return nil
	}
	if x.r.Check == nil {
		if x.request.Check == "error" {
			x.warn("the script was not type-checked: there is no type checker here")
		}
		return nil
	}
	found, err := x.r.Check.Check(ctx, x.source, x.request.Language, pool)
	if err != nil {
		if ctx.Err() == nil {
			x.r.log().Warn("type check failed", "run", x.id, "err", err)
			x.warn("the script could not be type-checked")
		}
		return nil
	}
	return found
}
