package exec

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec/audit"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// Codes of errors that no call has brought up (Error.Code).
const (
	CodeInvalid     = "INVALID_CODE"    // EXEC-12: nothing ran
	CodeOptions     = "INVALID_OPTIONS" // EXEC-15: nothing ran
	CodeType        = "TYPE_ERROR"      // the check found an error, nothing ran
	CodeInput       = "INVALID_INPUT"   // EXEC-18: what was given does not fit the script's type, nothing ran
	CodeTimeout     = "TIMEOUT"
	CodeActive      = "ACTIVE_BUDGET"
	CodeMemory      = "MEMORY"
	CodeStalled     = "STALLED"
	CodeCancelled   = "CANCELLED"
	CodeDenied      = "DENIED"
	CodeUnknownTool = "UNKNOWN_TOOL"
	CodeCallCap     = "TOO_MANY_CALLS"
	CodeToolError   = "TOOL_ERROR"
	CodeUnavailable = "SERVER_UNAVAILABLE"
	CodeArguments   = "INVALID_ARGUMENTS"
	CodeCrashed     = "SANDBOX_CRASHED"
	CodeTooLarge    = "TOO_LARGE"
	CodeRange       = "RANGE_ERROR"
	// CodeAborted is that of a call which was not made because a person had ended
	// the turn (SCHED-2).
	CodeAborted = "ABORTED_BEFORE_DISPATCH"
)

// A run is one script from its request to its result, and then the sandbox's
// Host; or the direct calls of one request.
type run struct {
	r       *Runner
	id      string
	started time.Time
	request Request
	source  *script.Source // without fence and wrapper
	options script.Options // the script's own
	limits  config.Limits
	clock   *sandbox.Clock
	session *session
	span    *telemetry.Span
	cancel  context.CancelCauseFunc
	// stop is what "deny and stop" does. It is called with locks held.
	stop   func(reason string)
	sample *sampler // of a dry run, else nil

	admission sequence
	detours   detours
	answers   answers // of a run that is recorded
	turns     turns   // of a replay
	schedule  schedule
	asking    sync.WaitGroup // the goroutines of its questions

	mu        sync.Mutex // guards what follows, and the records of calls
	calls     []*call    // those that count, in the order of the script
	byIndex   map[int]*call
	last      []string // the tools of the last two that count
	unlisted  int      // calls over the cap that have no record
	recorded  int      // bytes of the arguments in records of calls that have ended
	kept      int      // bytes of results that are kept for later
	logs      []Log
	output    output
	warnings  []Warning
	remarks   []remark
	grants    map[string]grant
	loops     map[string][]*loop      // by leaf, oldest first
	lastAsked map[string]lastQuestion // by leaf
	writes    writes
	usage     *Usage         // of models, nil when none was asked
	omitted   jsontext.Value // the value, when it is too long for the result
	endedBy   string         // the setting whose budget ended the run, or ""
}

// stopped is the cause of a run's end when a person said "deny and stop".
type stopped struct{ reason string }

func (e *stopped) Error() string { return e.reason }

var (
	errCancelRequest = errors.New("the run was cancelled")
	errClosing       = errors.New("everything is closing")
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
			// The host queues (SCHED-1), so that the clocks can tell waiting from
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

// Log is sandbox.Host's.
func (x *run) Log(level, text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := Log{Level: level, Text: text}
	x.logs = append(x.logs, l)
	x.emit(Event{Kind: "log", Log: &l})
}

// emit tells what happens. Where order matters x.mu is held.
func (x *run) emit(e Event) {
	if x.request.Events != nil {
		e.RunID = x.id
		x.request.Events(x.cleanEvent(e))
	}
}

func (x *run) warn(format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.warnings = append(x.warnings, Warning{Message: fmt.Sprintf(format, args...)})
}

// refuse is the result of a run that did not start.
func (x *run) refuse(status Status, e Error) *Result {
	return x.result(status, &e, nil)
}

// unfit is the result for a text that Prepare refuses.
func (x *run) unfit(found []script.Finding) *Result {
	e := Error{Name: "SyntaxError", Code: CodeOptions}
	messages := make([]string, len(found))
	for i, f := range found {
		messages[i] = f.Message
		if f.Code == script.CodeBlank {
			e = Error{Name: "Error", Code: CodeInvalid}
		}
	}
	e.Message = strings.Join(messages, "\n")
	if found[0].Code != script.CodeBlank {
		place := found[0].Range
		e.Range = &place
	}
	return x.refuse(CodeError, e)
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

// ruleWords names a rule for people: where it is kept and what it says.
func ruleWords(r *permission.Rule) string {
	if r == nil {
		return "the rules"
	}
	layer := map[permission.Layer]string{
		permission.Managed:    "a rule of the administrator",
		permission.User:       "a rule of the user",
		permission.Workspace:  "a rule for this workspace",
		permission.Repository: "a rule of the repository",
		permission.Flag:       "a rule of the command line",
		permission.Session:    "a rule for this session",
		permission.Builtin:    "a built-in rule",
	}[r.Layer]
	return fmt.Sprintf("%s (%s)", layer, r.Match)
}

func (r *Runner) log() *slog.Logger {
	if r.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Log
}
