package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// stopGrace is how long a stopped script may take to say where it was, before
	// its process is killed (BUD-1: the result is there 500 ms later at most).
	stopGrace = 200 * time.Millisecond
	// killGrace is for how long what a killed process has said is still read.
	killGrace = 100 * time.Millisecond
	// exitGrace is how long a process whose channel broke may take to exit by
	// itself, so that the way it ended can be reported.
	exitGrace = 250 * time.Millisecond

	// Bounds of what a child may say beyond its limits.
	maxInFlight    = 1 << 16
	maxFinishWarns = 4 * frame.MaxWarnings
)

// run is one script in one child, seen from the host, which believes nothing.
type run struct {
	child  *child
	logger *slog.Logger
	req    Request
	host   Host
	active *activity

	wg       sync.WaitGroup // workers and writers
	work     chan Call      // to a worker that has nothing to do
	busy     chan struct{}  // capacity 1: the script has computed for as long as it may
	mu       sync.Mutex
	inFlight map[int]bool
	reason   Status // why the script was stopped
	ended    bool

	next    int // index of the next call
	chars   int // of console output
	entries int
	cut     int
}

func newRun(c *child, r Request, h Host, active *activity, logger *slog.Logger) *run {
	return &run{child: c, logger: logger, req: r, host: h, active: active, inFlight: map[int]bool{}, work: make(chan Call), busy: make(chan struct{}, 1)}
}

// do runs the script to its end. The child is of no use afterwards.
func (r *run) do(ctx context.Context, p *script.Program) Outcome {
	callCtx, cancelCalls := context.WithCancel(ctx)
	defer cancelCalls()
	limits := r.req.Limits
	if limits.ValueBytes > 0 {
		r.child.reader.Max = limits.ValueBytes + frame.Slack + frame.MaxFinishBytes
	} else {
		r.child.reader.Max = 256 << 20
	}
	head, err := frame.WithJSON(frame.Start{Language: r.req.Language, Input: r.req.Input, Tools: r.req.Tools, Members: r.req.Members, Absent: r.req.Absent, Globals: r.req.Globals, AllTools: r.req.AllTools, Bounds: bounds(limits)})
	if err != nil {
		return Outcome{Status: Crashed, Error: &ScriptError{Name: "Error", Message: err.Error(), Call: -1}}
	}
	r.send(frame.KindStart, head, frame.Word(len(p.SourceMap)), p.SourceMap, []byte(p.Code))
	over := make(chan struct{})
	var watchers sync.WaitGroup
	watchers.Go(func() { r.watch(ctx, over) })

	var end frame.Finish
	var value jsontext.Value
	for err == nil {
		var kind byte
		var body []byte
		if kind, body, err = r.child.reader.Read(); err != nil {
			break
		}
		if kind == frame.KindDone {
			end, value, err = r.finished(body)
			break
		}
		err = r.frame(callCtx, kind, body)
	}

	close(r.work)
	r.mu.Lock()
	r.ended = true
	o := Outcome{Wall: r.req.Clock.Elapsed()}
	o.Active, _, _ = r.active.read()
	for _, i := range end.Pending { // the answers of some may have been on their way
		r.inFlight[i] = true
	}
	o.InFlight = slices.Sorted(maps.Keys(r.inFlight))
	reason := r.reason
	r.mu.Unlock()
	close(over)
	watchers.Wait()
	if ctx.Err() != nil {
		end.Status = "" // whatever it came to on the way (BUD-11)
		if reason == "" {
			reason = Cancelled
		}
	}
	cancelCalls()
	if err != nil && reason == "" {
		end := r.child.postMortem(err)
		r.logger.Debug("a sandbox process ended unexpectedly", "error", err, "state", r.child.state.String(), "stderr", r.child.stderr.String())
		o.Status, o.Error = end.status, end.err
	} else {
		r.conclude(end, value, reason, &o)
	}
	if end.Status == "" {
		r.child.abandon()
	}
	// A writer may wait for a child that does not read.
	unblock := time.AfterFunc(tidyAfter, r.child.abandon)
	r.wg.Wait()
	unblock.Stop()
	o.LogsCut = r.cut + max(0, min(end.LogsCut, 1<<30))
	return o
}

// conclude makes the outcome of a script that said how it ended, or was stopped.
func (r *run) conclude(end frame.Finish, value jsontext.Value, reason Status, o *Outcome) {
	end.Clip() // a forged one need not be
	o.Warnings = end.Warnings
	if end.Error != nil {
		e := *end.Error
		lines := countLines(r.req.Code)
		e.Stack = ownFrames(e.Stack, lines)
		if e.At != nil && e.At.Line >= lines {
			e.At = nil // no place of the author's text
		}
		if e.Call < 0 || e.Call >= r.next {
			e.Call = -1
		}
		if end.Status == Invalid && e.At != nil {
			// The child has the compiled text alone.
			if line := script.LineOf(r.req.Code, e.At.Line); line != "" {
				e.Stack += "\n\n" + line
			}
		}
		o.Error = &e
	}
	switch {
	case end.Status == Completed:
		o.Status, o.HasValue, o.Value, o.Error = Completed, end.HasValue, value, nil
	case end.Status != "":
		o.Status = end.Status
		if o.Error == nil || o.Error.Name == "" && o.Error.Message == "" {
			o.Error = &ScriptError{Name: "Error", Message: "the script failed", Call: -1}
		}
	default: // stopped, or died when it was to stop
		e := stoppedError()
		if o.Error != nil {
			e.Stack, e.At = strings.TrimPrefix(o.Error.Stack, "\n"), o.Error.At
		}
		o.Status, o.Error = reason, e
	}
}

// countLines counts by the line terminators of the language.
func countLines(code string) int {
	n := 1 - strings.Count(code, "\r\n")
	for _, end := range []string{"\n", "\r", "\u2028", "\u2029"} {
		n += strings.Count(code, end)
	}
	return n
}

// send writes a frame without waiting: a child that does not read delays nobody.
func (r *run) send(kind byte, parts ...[]byte) {
	r.wg.Go(func() { r.child.writer.Write(kind, parts...) })
}

// finished reads how a script says that it ended.
func (r *run) finished(body []byte) (f frame.Finish, value jsontext.Value, err error) {
	meta, rest, ok := frame.TakeSized(body)
	if !ok || len(meta) > frame.MaxFinishBytes || json.Unmarshal(meta, &f) != nil || len(f.Warnings) > maxFinishWarns {
		return frame.Finish{}, nil, errGarbage
	}
	if len(f.Pending) > maxInFlight || slices.ContainsFunc(f.Pending, func(i int) bool { return i < 0 || i >= r.next }) {
		return frame.Finish{}, nil, errGarbage
	}
	switch f.Status {
	case Completed:
		value = rest
		if f.HasValue != (len(value) > 0) || f.HasValue && !value.IsValid() {
			return frame.Finish{}, nil, errGarbage
		}
	case Thrown, Invalid, Stalled:
	case "":
		r.mu.Lock()
		stopped := r.reason != ""
		r.mu.Unlock()
		if !stopped {
			return frame.Finish{}, nil, errGarbage
		}
	default:
		return frame.Finish{}, nil, errGarbage
	}
	return f, value, nil
}

// frame takes one call or console entry.
func (r *run) frame(ctx context.Context, kind byte, body []byte) error {
	switch kind {
	case frame.KindCall:
		c, ok := frame.TakeCall(body)
		if !ok || c.Index != r.next {
			return errGarbage
		}
		limit := r.req.Limits.MaxConcurrent
		if limit <= 0 {
			limit = maxInFlight
		}
		r.mu.Lock()
		tooMany := len(r.inFlight) >= limit
		r.inFlight[c.Index] = true
		r.mu.Unlock()
		if tooMany {
			return errGarbage
		}
		r.next++
		r.active.add(1)
		select {
		case r.work <- c:
		default:
			r.wg.Go(func() { r.worker(ctx, c) })
		}
		return nil
	case frame.KindBusy:
		select {
		case r.busy <- struct{}{}:
		default:
		}
		return nil
	case frame.KindLog:
		if len(body) == 0 || int(body[0]) >= len(frame.Levels) {
			return errGarbage
		}
		r.log(frame.Levels[body[0]], strings.ToValidUTF8(string(body[1:]), "\ufffd"))
		return nil
	}
	return errGarbage
}

// worker answers a call, and then others. The stack that it takes has grown
// already with the first, which is a tenth of what a call costs.
func (r *run) worker(ctx context.Context, c Call) {
	for more := true; more; c, more = <-r.work {
		r.call(ctx, c)
	}
}

// call has the host answer one call.
func (r *run) call(ctx context.Context, c Call) {
	if h, ok := r.host.(Answerer); ok {
		defer h.Answered(c.Index)
	}
	value, err := r.host.Call(ctx, c)
	if err == nil && len(value) == 0 {
		value = jsontext.Value("null")
	}
	// Before the answer: with it, the script may make the next call.
	r.mu.Lock()
	if cancelled := err != nil && ctx.Err() != nil; !r.ended && !cancelled {
		delete(r.inFlight, c.Index)
	}
	r.mu.Unlock()
	r.active.add(-1)
	if ctx.Err() != nil {
		return // a cancelled call rejects for nobody: the script must not go on by it (BUD-11)
	}
	index := frame.Word(c.Index)
	if err == nil {
		r.child.writer.Write(frame.KindValue, index, value)
		return
	}
	var refusal *CallError
	if !errors.As(err, &refusal) {
		refusal = &CallError{Message: err.Error(), Tool: c.Name}
	}
	body, err := json.Marshal(refusal, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		body, _ = json.Marshal(&CallError{Message: strings.ToValidUTF8(refusal.Message, "\ufffd"), Tool: refusal.Tool, Code: refusal.Code})
	}
	r.child.writer.Write(frame.KindReject, index, body)
}

// log takes one entry within the caps, which the child keeps to as well (BUD-8).
func (r *run) log(level, text string) {
	n := utf8.RuneCountInString(text)
	room := max(0, r.req.Limits.LogChars-r.chars)
	if r.entries >= r.req.Limits.LogEntries || n > 0 && room == 0 {
		r.cut += n
		return
	}
	if n > room {
		r.cut += n - room
		text, n = firstRunes(text, room), room
	}
	r.entries++
	r.chars += n
	r.host.Log(level, text)
}

// watch ends the script when its time is over or nobody wants it any more.
func (r *run) watch(ctx context.Context, over <-chan struct{}) {
	type meter struct {
		read   func() (time.Duration, bool, <-chan struct{})
		limit  time.Duration
		status Status
	}
	meters := []meter{{r.req.Clock.read, r.req.Limits.Wall, TimedOut}, {r.active.read, r.req.Limits.Active, Overspent}}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := time.Hour
		var changed [2]<-chan struct{}
		for i, m := range meters {
			if m.limit <= 0 {
				continue
			}
			elapsed, isHeld, c := m.read()
			changed[i] = c
			if elapsed >= m.limit {
				r.stop(m.status, over)
				return
			}
			if !isHeld {
				next = min(next, m.limit-elapsed)
			}
		}
		timer.Reset(next)
		select {
		case <-over:
			return
		case <-ctx.Done():
			r.mu.Lock()
			r.reason = Cancelled
			r.mu.Unlock()
			r.child.abandon()
			return
		case <-r.busy:
			r.stop(TimedOut, over)
			return
		case <-timer.C:
		case <-changed[0]:
		case <-changed[1]:
		}
	}
}

// stop interrupts the script, and kills its process when that does not help.
func (r *run) stop(why Status, over <-chan struct{}) {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return
	}
	r.reason = why
	r.mu.Unlock()
	r.send(frame.KindStop, fmt.Append(nil, why))
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-over:
	case <-grace.C:
		r.child.abandon()
	}
}

var authorLine = regexp.MustCompile(`\bscript\.[tj]s:(\d+):\d+`)

// ownFrames leaves out of a stack what is below the author's last line, where a
// module's default export is called, and the name that such an export is given.
func ownFrames(stack string, lines int) string {
	kept := strings.Split(stack, "\n")
	kept = slices.DeleteFunc(kept, func(line string) bool {
		m := authorLine.FindStringSubmatch(line)
		if m == nil || !strings.HasPrefix(line, "    at ") {
			return false
		}
		n, err := strconv.Atoi(m[1])
		return err == nil && n > lines
	})
	for i, line := range kept {
		if place, ok := strings.CutPrefix(line, "    at $main ("); ok {
			kept[i] = "    at " + strings.TrimSuffix(place, ")")
		}
	}
	return strings.Join(kept, "\n")
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// bounds are the limits that a child enforces itself.
func bounds(l Limits) frame.Bounds {
	return frame.Bounds{MaxConcurrent: l.MaxConcurrent, LogChars: l.LogChars, LogEntries: l.LogEntries, ValueBytes: l.ValueBytes, BusyMs: l.Wall.Milliseconds()}
}
