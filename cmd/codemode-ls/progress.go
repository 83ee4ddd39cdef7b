package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/exec"
)

// progress shows a run while it goes on (CLI-4): console output, and on a
// terminal its calls, a line for each with state and time, redrawn in place. The
// lines are the last ones of the run's summary (SUM-2).
type progress struct {
	w      io.Writer
	live   bool // a terminal that can redraw
	colour bool
	width  func() int
	now    func() time.Time

	mu     sync.Mutex
	count  int
	last   []shownCall // at most two, the oldest first
	failed []shownCall // the last ones that failed and are not among those
	drawn  int         // lines on the screen
	paused bool
	// awaited says which servers are connecting; connecting is asked for it, without mu.
	awaited    string
	connecting func() string
	over       bool

	stop    chan struct{} // closed to end the clock; nil while it does not run
	stopped chan struct{}
}

type shownCall struct {
	record exec.CallRecord
	since  time.Time
	took   time.Duration // when it has ended
	detail string        // what its server says of its progress
}

// shownCalls is how many calls a run's summary names, shownFailed how many that failed
// remain beside them.
const (
	shownCalls  = 2
	shownFailed = 3
)

// tick is how often the times of calls are drawn again.
const tick = 100 * time.Millisecond

func newProgress(w io.Writer) *progress {
	terminal := redraws(w)
	return &progress{
		w: w, live: terminal, colour: terminal && os.Getenv("NO_COLOR") == "",
		width: func() int { return screenWidth(w) },
		now:   time.Now,
	}
}

// redraws reports whether w is a terminal that can draw over what it shows.
func redraws(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// Event takes one event of a run.
func (p *progress) Event(e exec.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Kind == "log" && e.Log != nil:
		p.erase()
		fmt.Fprintln(p.w, printable(e.Log.Text))
		p.draw()
	case e.Kind == "call" && e.Call != nil:
		p.call(e)
		p.erase()
		p.draw()
		p.run()
	}
}

// call takes in what is new about a call. p.mu is held.
func (p *progress) call(e exec.Event) {
	c := *e.Call
	p.count = max(p.count, c.Index+1)
	at := -1
	for i := range p.last {
		if p.last[i].record.Index == c.Index {
			at = i
		}
	}
	if at < 0 {
		if len(p.last) == shownCalls && c.Index < p.last[0].record.Index {
			p.keepFailed(shownCall{record: c, took: ownTime(c, 0)})
			return // collapsed
		}
		p.last = append(p.last, shownCall{since: p.now()})
		if at = len(p.last) - 1; len(p.last) > shownCalls {
			p.keepFailed(p.last[0])
			p.last = p.last[1:]
			at--
		}
	}
	s := &p.last[at]
	if c.Status == exec.CallRunning && s.record.Status != exec.CallRunning {
		s.since = p.now() // what came before was waiting
	}
	s.record = c
	if e.Progress != nil {
		s.detail = progressWords(e.Progress)
	}
	if ended(c.Status) {
		s.took, s.detail = ownTime(c, p.now().Sub(s.since)), ""
	}
}

// ownTime is how long a call took without what it waited for a person and its turn.
func ownTime(c exec.CallRecord, otherwise time.Duration) time.Duration {
	if c.Timing == nil {
		return otherwise
	}
	return time.Duration(c.Timing.TotalMs-c.Timing.PermissionMs-c.Timing.QueuedMs) * time.Millisecond
}

// keepFailed keeps a call that has failed in sight. p.mu is held.
func (p *progress) keepFailed(s shownCall) {
	if ended(s.record.Status) && s.record.Status != exec.CallCompleted {
		p.failed = append(p.failed, s)
		p.failed = p.failed[max(0, len(p.failed)-shownFailed):]
	}
}

func ended(s exec.CallStatus) bool {
	return s != exec.CallQueued && s != exec.CallWaiting && s != exec.CallRunning
}

func progressWords(g *exec.Progress) string {
	words := fmt.Sprintf("%g", g.Progress)
	if g.Total > 0 {
		words += fmt.Sprintf(" of %g", g.Total)
	}
	if g.Message != "" {
		words += " " + g.Message
	}
	return strings.Join(strings.Fields(printable(words)), " ")
}

// lines are what is drawn. p.mu is held.
func (p *progress) lines() []string {
	noun := "tool calls"
	if p.count == 1 {
		noun = "tool call"
	}
	width := p.width() - 1 // the last column makes some terminals wrap
	var lines []string
	if p.count > 0 {
		lines = append(lines, cutTo(fmt.Sprintf("%d %s", p.count, noun), width))
	}
	for i, c := range slices.Concat(p.failed, p.last) {
		name := strings.Join(strings.Fields(printable(c.record.Tool)), " ")
		if i == len(p.failed) && p.count > len(p.last) {
			name = "... " + name // SUM-2
		}
		took := c.took
		if !ended(c.record.Status) {
			took = p.now().Sub(c.since)
		}
		state := string(c.record.Status)
		if c.record.Status == exec.CallWaiting {
			state = "waiting for permission"
		}
		rest := " " + milliseconds(took.Milliseconds())
		if c.detail != "" {
			rest += " " + c.detail
		}
		name = cutTo(name, max(width-len(state)-len(rest)-1, minBar))
		line := cutTo(name+preview(c.record, width-columns(name)-len(state)-columns(rest)-2)+" "+state+rest, width)
		if before, after, found := strings.Cut(line, " "+state); found && p.colour {
			line = before + " " + colours[c.record.Status] + state + "\x1b[0m" + after
		}
		lines = append(lines, line)
	}
	if p.awaited != "" {
		lines = append(lines, cutTo(p.awaited+" …", width))
	}
	return lines
}

// preview is the beginning of a call's arguments, which distinguishes calls of one tool;
// "" when there is no room for it.
func preview(c exec.CallRecord, room int) string {
	text := oneLine(string(c.Arguments))
	if text == "" || text == "{}" || room < minBar {
		return ""
	}
	return " " + cutTo(text, min(room, maxPreview))
}

// maxPreview is how many columns of a call's arguments are shown.
const maxPreview = 80

// colours of states: SGR codes that every terminal with colours has.
var colours = map[exec.CallStatus]string{
	exec.CallQueued:    "\x1b[2m",
	exec.CallWaiting:   "\x1b[33m",
	exec.CallRunning:   "\x1b[36m",
	exec.CallCompleted: "\x1b[32m",
	exec.CallFailed:    "\x1b[31m",
	exec.CallDenied:    "\x1b[31m",
	exec.CallRefused:   "\x1b[31m",
	exec.CallCancelled: "\x1b[33m",
	exec.CallTimedOut:  "\x1b[31m",
}

func (p *progress) erase() {
	if p.drawn > 0 {
		fmt.Fprintf(p.w, "\x1b[%dA\x1b[J", p.drawn)
		p.drawn = 0
	}
}

func (p *progress) draw() {
	if !p.live || p.paused || p.over {
		return
	}
	lines := p.lines()
	if len(lines) == 0 {
		return
	}
	fmt.Fprint(p.w, strings.Join(lines, "\n")+"\n")
	p.drawn = len(lines)
}

// run lets the times of calls go on, on a terminal alone: nothing animates in a
// pipe. p.mu is held.
func (p *progress) run() {
	if !p.live || p.over || p.stop != nil {
		return
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	p.stop, p.stopped = stop, stopped
	go func() {
		defer close(stopped)
		clock := time.NewTicker(tick)
		defer clock.Stop()
		for {
			select {
			case <-stop:
				return
			case <-clock.C:
			}
			p.mu.Lock()
			ask := p.connecting
			p.mu.Unlock()
			awaited := ""
			if ask != nil { // it takes locks under which events are sent
				awaited = ask()
			}
			p.mu.Lock()
			if !p.over { // what Finish has drawn remains
				p.awaited = awaited
				p.erase()
				p.draw()
			}
			p.mu.Unlock()
		}
	}()
}

// Await shows, from now on, which servers are connecting.
func (p *progress) Await(connecting func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connecting = connecting
	p.run()
}

// Pause leaves the screen to a question.
func (p *progress) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.paused = true
}

// Resume takes the screen back.
func (p *progress) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
	p.draw()
}

// Finish leaves the last state of the calls on the screen.
func (p *progress) Finish() {
	p.mu.Lock()
	p.awaited, p.connecting = "", nil
	if p.drawn > 0 {
		p.erase()
		p.draw()
	}
	p.over = true
	stop, stopped := p.stop, p.stopped
	p.stop = nil
	p.mu.Unlock()
	if stop != nil {
		close(stop)
		<-stopped
	}
}
