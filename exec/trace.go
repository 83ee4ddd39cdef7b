package exec

import (
	"time"

	"codemode-ls/internal/telemetry"
)

// Spans of a run and its calls (OBS-3): names from the pool, codes, numbers; no
// text that a script, a server or a person has written.

func (x *run) endSpan(r *Result) {
	x.span.Set("codemode.run.status", string(r.Status), "codemode.run.calls", len(r.Calls),
		"codemode.permission_wait_ms", r.Timing.PermissionMs, "codemode.queued_ms", r.Timing.QueuedMs)
	if r.Status != Completed {
		x.span.Fail(string(r.Status)) // an error's own code may be the script's
	}
	x.span.End()
}

// endSpan of a call whose record has ended. The run's mu is held.
func (c *call) endSpan() {
	c.span.Set("codemode.call.status", string(c.record.Status), "codemode.permission_wait_ms", c.waited.Milliseconds(),
		"codemode.queued_ms", c.queued.Milliseconds(), "codemode.result_bytes", c.record.ResultBytes)
	c.span.End()
}

// unknownSpan is that of a call by a name that is not in the pool. The name may
// be anything, so it is not in the span.
func (x *run) unknownSpan() {
	s := x.span.Call(telemetry.Unknown, time.Now())
	s.Fail(CodeUnknownTool)
	s.End()
}
