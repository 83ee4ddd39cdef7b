package exec

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec/audit"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"
)

// Run executes a script and waits for its end. What a script's author did wrong
// and what happened to the sandbox are in the result (BUD-12).
func (r *Runner) Run(ctx context.Context, q Request) *Result {
	result, _ := r.run(ctx, q)
	return result
}

// run is Run. cause is why the run was ended from outside, if it was.
func (r *Runner) run(ctx context.Context, q Request) (_ *Result, cause error) {
	x, ctx := r.begin(ctx, q)
	defer x.cancel(nil)
	x.stop = func(reason string) { x.cancel(&stopped{reason}) }
	x.session = r.sessions.open(x.request.SessionID)
	defer r.sessions.close(x.session)
	result := x.execute(ctx)
	x.end(result)
	return result, context.Cause(ctx)
}

// begin makes a run; end and a call of cancel must follow.
func (r *Runner) begin(ctx context.Context, q Request) (*run, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	if q.SessionID == "" {
		q.SessionID = "default"
	}
	x := &run{
		r: r, id: rand.Text(), request: q, cancel: cancel, started: time.Now(),
		byIndex: map[int]*call{}, grants: map[string]grant{}, loops: map[string][]*loop{}, lastAsked: map[string]lastQuestion{},
	}
	x.span = r.Tracer.Run(x.started, "codemode.run.id", x.id)
	r.history.begin(x)
	x.emit(Event{Kind: "started"})
	return x, ctx
}

// end keeps a run's result.
func (x *run) end(result *Result) {
	if result.Timing.WallMs == 0 {
		result.Timing.WallMs = time.Since(x.started).Milliseconds()
	}
	x.r.history.end(x, result, x.started)
	x.endSpan(result)
	x.emit(Event{Kind: "finished", Status: result.Status, Summary: result.Summary})
}

// Cancel ends a run by its id; false when there is no such run.
func (r *Runner) Cancel(runID string) bool {
	x := r.history.running(runID)
	if x == nil {
		return false
	}
	x.cancel(errCancelRequest)
	return true
}

// execute takes the run through everything that comes before the sandbox.
func (x *run) execute(ctx context.Context) *Result {
	q := &x.request
	x.limits = x.r.Limits()
	if d := x.r.Rules.Rules().Decide(permission.Exec); d.Effect == permission.Deny {
		x.audit(audit.Entry{Leaf: permission.Exec, Arguments: audit.HashOf([]byte(q.Code))}, verdict{rule: d.Rule, by: byRule})
		return x.refuse(Denied, Error{Name: "PermissionDenied", Code: CodeDenied, Message: "running scripts is denied by " + ruleWords(d.Rule)})
	}
	if len(q.Code) > x.limits.MaxCodeBytes {
		x.endedBy = "exec.maxCodeBytes"
		return x.refuse(CodeError, Error{Name: "Error", Code: CodeInvalid,
			Message: fmt.Sprintf("the script is too large: it has %d bytes, and %d are allowed", len(q.Code), x.limits.MaxCodeBytes)})
	}
	read := script.Read(q.Code)
	prepared := read.Prepared()
	x.source = read.Body()
	for _, w := range prepared.Warnings {
		x.warnings = append(x.warnings, Warning{Message: w})
	}
	if len(prepared.Errors) > 0 {
		return x.unfit(prepared.Errors)
	}
	if u, ok := x.source.Uncalled(); ok {
		x.warnings = append(x.warnings, Warning{Message: u.Message, Range: &u.Range})
	}
	x.options = prepared.Options
	x.warnings = append(x.warnings, Lowered(x.options)...)
	x.limits = limitsOf(x.limits, *q, x.options)
	pool := x.r.Pool()
	x.clock = sandbox.NewClock()
	if q.Check == "error" {
		release := x.clock.Hold(sandbox.ForQueue) // servers that connect take no time of the script
		pool = x.awaitUsed(ctx, pool)
		release()
		if result := x.check(ctx, pool); result != nil {
			return result
		}
	}
	if result := x.takeInput(ctx, pool); result != nil {
		return result
	}
	if ctx.Err() != nil {
		return x.refuse(Cancelled, Error{Name: "Cancelled", Code: CodeCancelled, Message: "the run was cancelled before it began"})
	}
	if q.DryRun {
		x.sample = newSampler()
	}
	x.schedule.cap = max(x.limits.MaxConcurrent, 1)
	x.setLimits(x.limits)
	names, allTools := globals(pool)
	tools, members := x.replayNames(toolNames(pool), memberNames(pool.Offering(x.offer(pool))))
	if q.Replay != nil {
		x.turns.start(q.Replay.Cassette())
	}
	if q.Record != nil {
		q.Record.Begin(x.cleanInput())
	}
	outcome := x.r.Sandbox.Run(ctx, sandbox.Request{
		Code:     x.source.Text(),
		Language: q.Language,
		Input:    q.Input,
		Tools:    tools,
		Members:  members,
		Absent:   absentNames(pool.Offering(x.offer(pool))),
		Globals:  names,
		AllTools: allTools,
		Clock:    x.clock,
		Limits: sandbox.Limits{
			Wall:     x.limits.Timeout,
			Active:   x.limits.Active,
			MemoryMB: x.limits.MemoryMB,
			// The host queues (SCHED-1), so that the clocks can separate waiting from
			// working (BUD-6); the child holds nothing back.
			MaxConcurrent: max(x.limits.MaxToolCalls, 1) + 1,
			LogChars:      x.limits.MaxLogChars,
			LogEntries:    x.limits.MaxLogEntries,
			ValueBytes:    x.limits.MaxValueBytes,
			ResultChars:   x.limits.MaxResultChars,
		},
	}, x)
	return x.finish(ctx, outcome, pool)
}

// setLimits makes limits those of the run and of what it gives.
func (x *run) setLimits(l config.Limits) {
	x.limits = l
	x.output.maxImages, x.output.maxBytes, x.output.maxChars = l.MaxImages, l.MaxImageBytes, l.MaxResultChars
}

// check runs the type check before the script, within the script's time budget; a
// result means that nothing runs.
func (x *run) check(ctx context.Context, pool *catalog.Catalog) *Result {
	limited, cancel := context.WithTimeout(ctx, x.limits.Timeout)
	defer cancel()
	found := x.diagnose(limited, pool)
	if limited.Err() != nil && ctx.Err() == nil {
		return x.finish(ctx, sandbox.Outcome{Status: sandbox.TimedOut, Wall: x.clock.Elapsed()}, pool)
	}
	if !slices.ContainsFunc(found, func(d Diagnostic) bool { return d.Severity == 1 }) {
		return nil
	}
	return x.result(CodeError, &Error{Name: "TypeError", Code: CodeType, Message: "the type check found errors, so nothing was run"}, found)
}

func toolNames(pool *catalog.Catalog) []string {
	tools := pool.Tools()
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

func memberNames(pool *catalog.Catalog) []string {
	var names []string
	for _, m := range pool.Members() {
		names = append(names, m.Name)
	}
	return names
}

// absentNames are the members that a run does not have.
func absentNames(pool *catalog.Catalog) []string {
	var names []string
	for _, m := range catalog.Members() {
		if _, ok := pool.Member(m.Name); !ok {
			names = append(names, m.Name)
		}
	}
	return names
}
