package exec

import (
	"fmt"
	"strings"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/sandbox"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

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
	x.reportCall(c)
	x.emit(Event{Kind: "summary", Summary: x.summary()}) // SUM-3
	if over {
		c.span.Fail(CodeCallCap)
		c.span.End()
		return c, refusal(sc.Name)
	}
	return c, nil
}

// How much of its calls a run's records hold: a script that goes on for ever must
// not fill the memory of the server (BUD-5).
const (
	maxRefused   = 100     // calls over the cap that have a record; the rest are counted
	maxArguments = 1 << 20 // bytes of one call's arguments, once it has ended
	maxRecorded  = 8 << 20 // of all
)

const overCap = "the script has made all the calls that it may make; this one was not made"

func refusal(tool string) error {
	return &sandbox.CallError{Message: tool + ": " + overCap, Tool: tool, Code: CodeCallCap}
}

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

// fail ends a call's record and makes the error that the script sees.
func (x *run) fail(c *call, status CallStatus, code, message string, structured jsontext.Value) *sandbox.CallError {
	x.mu.Lock()
	c.record.Status = status
	c.record.Error = fold(x.r.Redact.Text(message)) + c.aside()
	c.span.Fail(code)
	x.finished(c)
	x.reportCall(c)
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
	x.reportCall(c)
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

// reportCall sends the record of a call as it is now. x.mu is held.
func (x *run) reportCall(c *call) {
	record := c.record
	if n := len(record.Arguments); n > maxArguments {
		record.Arguments = tooMany(n) // an editor's row does not need them each time
	}
	x.emit(Event{Kind: "call", Call: &record})
}

// summary is the text of a run's row (SUM-1…4). The records' owner holds its
// lock.
func (x *run) summary() string {
	var b strings.Builder
	n := len(x.calls) + x.unlisted
	b.WriteString(plural(n, "tool call"))
	for i, tool := range x.last {
		b.WriteByte('\n')
		if i == 0 && len(x.last) < n {
			b.WriteString("... ")
		}
		b.WriteString(tool)
	}
	return b.String()
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

// neverSent says that no server has received a call of a tool. x.mu is held.
func (x *run) neverSent(c *call) bool {
	return c.tool != nil && c.sent.IsZero()
}

// place is the range of the tool's name in the author's text, or the bare
// position when no use is there.
func (x *run) place(at *script.Position) *script.Range {
	if at == nil {
		return nil
	}
	for _, u := range x.source.Uses() {
		if contains(u.Whole, *at) {
			return &script.Range{Start: u.Whole.Start, End: u.Whole.End}
		}
	}
	return &script.Range{Start: *at, End: *at}
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

func contains(r script.Range, p script.Position) bool {
	before := func(a, b script.Position) bool {
		return a.Line < b.Line || a.Line == b.Line && a.Character <= b.Character
	}
	return before(r.Start, p) && before(p, r.End)
}
