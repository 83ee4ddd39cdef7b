package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/exec/cassette"
	"codemode-ls/sandbox"
	"codemode-ls/typegen/seen"

	"github.com/go-json-experiment/json/jsontext"
)

// CodeNotRecorded is the code of a call that a replay has no answer for.
const CodeNotRecorded = "NOT_RECORDED"

// onCassette reports whether calls of a name are recorded and replayed: all that
// bring something into a script from outside of it. Members that change what the
// run itself gives have their effect in a replay too.
func onCassette(name string) bool {
	switch name {
	case reserved + "text", reserved + "image", reserved + "store":
		return false
	}
	return true
}

// Call is sandbox.Host's: a script calls a tool, or a member of the reserved
// namespace.
func (x *run) Call(ctx context.Context, sc sandbox.Call) (value jsontext.Value, err error) {
	defer func() {
		x.keepResult(sc.Index, value)
		x.checkIntegers(sc, value, err)
	}()
	switch {
	case !onCassette(sc.Name):
	case x.request.Replay != nil:
		return x.replay(ctx, sc)
	case x.request.Record != nil:
		value, err = x.answer(ctx, sc)
		x.answers.begin(sc.Index)
		x.record(ctx, sc, value, err)
		return value, err
	}
	return x.answer(ctx, sc)
}

// Answered is called when a script has been sent the answer of a call.
func (x *run) Answered(index int) {
	x.answers.end(index)
	x.turns.answered(index)
}

func (a *answers) begin(index int) {
	a.mu.Lock()
	a.state.Lock()
	a.going = index + 1
	a.state.Unlock()
}

func (a *answers) end(index int) {
	a.state.Lock()
	mine := a.going == index+1
	if mine {
		a.going = 0
	}
	a.state.Unlock()
	if mine {
		a.mu.Unlock()
	}
}

// record notes a call and what its script gets for it.
func (x *run) record(ctx context.Context, sc sandbox.Call, value jsontext.Value, err error) {
	r := cassette.Call{Tool: sc.Name, Arguments: sc.Arguments, Status: cassette.Completed, Value: value}
	if len(r.Arguments) == 0 {
		r.Arguments = jsontext.Value(`{}`)
	}
	status := CallStatus("")
	x.mu.Lock()
	if c := x.byIndex[sc.Index]; c != nil {
		status, r.Server = c.record.Status, c.record.Server
		for _, item := range x.output.items {
			if item.order == c.order {
				r.Attachments = append(r.Attachments, cassette.Attachment(item.Output))
			}
		}
	}
	x.mu.Unlock()
	if err != nil {
		var refusal *sandbox.CallError
		switch {
		case status == CallRefused, errors.As(err, &refusal) && refusal.Code == CodeCallCap:
			return // the cap is a setting of the run, and no answer of a tool
		case ctx.Err() != nil && (status == CallCancelled || status == ""):
			r.Status, r.Value = cassette.Cancelled, nil
		case errors.As(err, &refusal):
			r.Status, r.Value = recordedStatus(status), nil
			r.Error = &cassette.Error{Name: refusal.Name, Message: refusal.Message, Code: refusal.Code, Structured: refusal.Structured}
		default:
			r.Status, r.Value, r.Error = cassette.Failed, nil, &cassette.Error{Message: err.Error()}
		}
	} else if len(value) == 0 {
		r.Value = nothing
	}
	x.request.Record.Add(sc.Index, x.redacted(r))
}

// redacted is a call without secrets of the configuration: a cassette is a file
// that people commit. A replay takes them out of the arguments of its calls as
// well, so that they are found.
func (x *run) redacted(c cassette.Call) cassette.Call {
	secrets := x.r.Redact
	c.Arguments, c.Value = secrets.JSON(c.Arguments), secrets.JSON(c.Value)
	if c.Error != nil {
		c.Error.Message, c.Error.Structured = secrets.Known(c.Error.Message), secrets.JSON(c.Error.Structured)
	}
	for i := range c.Attachments {
		a := &c.Attachments[i]
		a.Text, a.URI, a.Problem = secrets.Known(a.Text), secrets.Known(a.URI), secrets.Known(a.Problem)
	}
	return c
}

func recordedStatus(s CallStatus) cassette.Status {
	switch s {
	case CallDenied:
		return cassette.Denied
	case CallTimedOut:
		return cassette.TimedOut
	}
	return cassette.Failed
}

// replay answers a call from the cassette: no server receives it and nobody is
// asked (REC-1).
func (x *run) replay(ctx context.Context, sc sandbox.Call) (jsontext.Value, error) {
	c, index, r, err := x.admitReplay(sc)
	if err != nil {
		return nil, err
	}
	if r.Status == cassette.Cancelled {
		<-ctx.Done() // it had no answer then either
		return nil, x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	}
	if err := x.turns.wait(ctx, sc.Index, index); err != nil {
		if c == nil {
			return nil, err
		}
		return nil, x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	}
	if c == nil {
		return nil, refusalOf(sc.Name, r.Error)
	}
	x.mu.Lock()
	c.record.ResultBytes = len(r.Value)
	for _, a := range r.Attachments {
		c.record.ResultBytes += len(a.Data) + len(a.Text)
		x.attachOutput(c, Output(a))
	}
	x.mu.Unlock()
	if r.Error != nil {
		refusal := refusalOf(sc.Name, r.Error)
		x.fail(c, replayedStatus(r), refusal.Code, refusal.Message, nil)
		return nil, refusal
	}
	x.observe(c, seen.Of(r.Value))
	x.status(c, CallCompleted)
	return r.Value, nil
}

// admitReplay takes a call in, one after the other in the order of the script,
// and finds its answer. c is nil for a call that does not count (SUM-5).
func (x *run) admitReplay(sc sandbox.Call) (c *call, index int, r *cassette.Call, err error) {
	defer x.admission.done(sc.Index)
	x.admission.wait(sc.Index)
	if len(sc.Arguments) == 0 {
		sc.Arguments = jsontext.Value(`{}`)
	}
	index, r, missing := x.request.Replay.Take(sc.Name, x.r.Redact.JSON(sc.Arguments))
	if r != nil && r.Error != nil && r.Error.Code == CodeUnknownTool {
		return nil, index, r, nil
	}
	var tool *catalog.Tool
	if !strings.HasPrefix(sc.Name, reserved) {
		server, known := x.request.Replay.Knows(sc.Name)
		if t, ok := x.r.Pool().Find(sc.Name); ok {
			tool = t
		} else if known {
			tool = &catalog.Tool{Name: sc.Name, Server: server}
		} else {
			return nil, 0, nil, &sandbox.CallError{Message: missing.Error(), Tool: shown(sc.Name), Code: CodeUnknownTool}
		}
	}
	c, err = x.count(sc, tool)
	if err != nil {
		return c, 0, nil, err
	}
	if missing != nil {
		return c, 0, nil, x.fail(c, CallFailed, CodeNotRecorded, missing.Error(), nil)
	}
	x.status(c, CallRunning)
	return c, index, r, nil
}

func refusalOf(tool string, e *cassette.Error) *sandbox.CallError {
	return &sandbox.CallError{Message: e.Message, Name: e.Name, Tool: shown(tool), Structured: e.Structured, Code: e.Code}
}

func replayedStatus(r *cassette.Call) CallStatus {
	switch {
	case r.Status == cassette.Denied:
		return CallDenied
	case r.Status == cassette.TimedOut:
		return CallTimedOut
	case r.Error.Code == CodeCancelled:
		return CallCancelled
	}
	return CallFailed
}

// unplayed is the warning for recorded calls that a script which has completed
// did not make. x.mu is held.
func (x *run) unplayed() {
	if x.request.Replay == nil {
		return
	}
	left := x.request.Replay.Unused()
	if len(left) == 0 {
		return
	}
	const most = 5
	var names []string
	for _, c := range left {
		if !slices.Contains(names, c.Tool) && len(names) < most {
			names = append(names, c.Tool)
		}
	}
	x.warnings = append(x.warnings, Warning{Message: fmt.Sprintf("%s of the recording not made: %s", plural(len(left), "call"), strings.Join(names, ", "))})
}

// patience is how long an answer waits for one before it whose call does not
// come.
const patience = 200 * time.Millisecond

// start begins a replay of a cassette's calls.
func (t *turns) start(c *cassette.Cassette) {
	t.ranks, t.over = make([]int, len(c.Calls)), make([]bool, len(c.Calls))
	t.waiting, t.going, t.changed = map[int]bool{}, map[int]int{}, make(chan struct{})
	for i := range c.Calls {
		rank, index := i, i
		if c.Answered != nil {
			index = c.Answered[i]
		}
		t.ranks[index] = rank
		t.over[rank] = c.Calls[index].Status == cassette.Cancelled
	}
	t.advance()
}

// wait waits until it is the turn of a recorded call. answered follows.
func (t *turns) wait(ctx context.Context, call, recorded int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	rank := t.ranks[recorded]
	t.waiting[rank] = true
	t.happen()
	for rank > t.next {
		changed := t.changed
		t.mu.Unlock()
		timer := time.NewTimer(patience)
		lost := false
		select {
		case <-changed:
		case <-timer.C:
			lost = true
		case <-ctx.Done():
		}
		timer.Stop()
		t.mu.Lock()
		if ctx.Err() != nil {
			delete(t.waiting, rank)
			t.finish(rank)
			return context.Cause(ctx)
		}
		if lost && changed == t.changed && len(t.going) == 0 && t.first(rank) {
			for earlier := t.next; earlier < rank; earlier++ {
				t.over[earlier] = true
			}
			t.advance()
		}
	}
	delete(t.waiting, rank)
	t.going[call] = rank
	return nil
}

// first reports whether no answer with a lower rank waits as well. t.mu is held.
func (t *turns) first(rank int) bool {
	for other := range t.waiting {
		if other < rank {
			return false
		}
	}
	return true
}

// answered lets the next answer go.
func (t *turns) answered(call int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rank, ok := t.going[call]
	if !ok {
		return
	}
	delete(t.going, call)
	t.finish(rank)
}

func (t *turns) finish(rank int) {
	t.over[rank] = true
	t.advance()
	t.happen()
}

func (t *turns) advance() {
	for t.next < len(t.over) && t.over[t.next] {
		t.next++
	}
}

func (t *turns) happen() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// replayNames are the names of tools and members that a script may use: those of
// this moment, and in a replay those of the cassette.
func (x *run) replayNames(tools, members []string) ([]string, []string) {
	if x.request.Replay == nil {
		return tools, members
	}
	recorded := x.request.Replay.Cassette()
	for _, c := range recorded.Calls {
		if c.Error != nil && c.Error.Code == CodeUnknownTool {
			continue
		}
		if member, ok := strings.CutPrefix(c.Tool, reserved); ok {
			if !slices.Contains(members, member) {
				members = append(members, member)
			}
		} else if !slices.Contains(tools, c.Tool) {
			tools = append(tools, c.Tool)
		}
	}
	return tools, members
}

// unchecked says that a replay has no declarations to check against: no server
// was started for it.
func (x *run) unchecked(pool *catalog.Catalog) bool {
	return x.request.Replay != nil && len(pool.Tools()) == 0
}

// Recorded is a result as a cassette keeps it. Places and stacks are left out:
// they change with every edit of the script.
func Recorded(r *Result) *cassette.Result {
	out := &cassette.Result{Status: string(r.Status)}
	if r.HasValue {
		out.Value = r.Value
	}
	if r.Error != nil {
		out.Error = &cassette.Error{Name: r.Error.Name, Message: r.Error.Message, Code: r.Error.Code}
	}
	for _, o := range r.Output {
		out.Output = append(out.Output, cassette.Attachment(o))
	}
	return out
}

var _ sandbox.Answerer = (*run)(nil)
