package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"codemode-ls/exec"
	"codemode-ls/internal/linediff"

	"github.com/go-json-experiment/json/jsontext"
)

// screen is a progress on a terminal of a width, with a clock that stands still.
func screen(width int, colour bool) (*progress, *bytes.Buffer, *time.Time) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	out := new(bytes.Buffer)
	return &progress{w: out, live: true, colour: colour, width: func() int { return width }, now: func() time.Time { return now }}, out, &now
}

func call(index int, status exec.CallStatus) exec.Event {
	return exec.Event{Kind: "call", Call: &exec.CallRecord{Index: index, Tool: fmt.Sprintf("mcp__demo__t%d", index), Status: status}}
}

// CLI-4: one line per call with state and time, collapsing as in SUM-2.
func TestCli4Lines(t *testing.T) {
	p, _, now := screen(80, false)
	lines := func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return strings.Join(p.lines(), "\n")
	}
	defer p.Finish()
	p.Event(call(0, exec.CallQueued))
	if got, want := lines(), "1 tool call\nmcp__demo__t0 queued 0 ms"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Event(call(1, exec.CallWaiting))
	*now = now.Add(1500 * time.Millisecond)
	p.Event(call(0, exec.CallRunning))
	if got, want := lines(), "2 tool calls\nmcp__demo__t0 running 0 ms\nmcp__demo__t1 waiting for permission 1.5 s"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	done := call(1, exec.CallCompleted)
	done.Call.Timing = &exec.CallTiming{TotalMs: 1512, PermissionMs: 1000, QueuedMs: 500}
	done.Call.Arguments = jsontext.Value(`{"path":"a\u001bb"}`)
	p.Event(done)
	p.Event(call(2, exec.CallRunning))
	progress := call(2, exec.CallRunning)
	progress.Progress = &exec.Progress{Progress: 3, Total: 10, Message: "half\x1b[2J\nway"}
	p.Event(progress)
	p.Event(call(0, exec.CallFailed)) // it remains in sight, collapsed or not
	if got, want := lines(), "3 tool calls\nmcp__demo__t0 failed 0 ms\n... mcp__demo__t1 {\"path\":\"a\\u001bb\"} completed 12 ms\nmcp__demo__t2 running 0 ms 3 of 10 half way"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No line is wider than the terminal, or what is erased would not be what was drawn.
func TestCli4Width(t *testing.T) {
	for _, width := range []int{12, 20, 40, 200} {
		p, _, _ := screen(width, false)
		e := call(0, exec.CallRunning)
		e.Call.Tool = "mcp__服务器__" + strings.Repeat("long_", 30)
		e.Progress = &exec.Progress{Progress: 1, Message: strings.Repeat("message ", 30)}
		p.Event(e)
		p.mu.Lock()
		for _, line := range p.lines() {
			if columns(line) > width {
				t.Errorf("%d columns in %d: %s", columns(line), width, line)
			}
		}
		p.mu.Unlock()
		p.Finish()
	}
}

// What is drawn is erased line by line; console output stays above.
func TestCli4Redraw(t *testing.T) {
	p, out, _ := screen(80, true)
	p.Event(call(0, exec.CallRunning))
	p.Event(exec.Event{Kind: "log", Log: &exec.Log{Text: "printed"}})
	p.Event(call(0, exec.CallCompleted))
	p.Finish()
	s := strings.ReplaceAll(out.String(), "\x1b[2A\x1b[J", "<erase>")
	if !strings.Contains(s, "running\x1b[0m 0 ms\n<erase>printed\n1 tool call\n") || !strings.Contains(s, "\x1b[32mcompleted\x1b[0m") {
		t.Errorf("%q", s)
	}
	if !strings.HasSuffix(s, "\n") || strings.Count(s, "\x1b[") != strings.Count(s, "\x1b[0m")*2 {
		t.Errorf("%q", s)
	}
}

// CLI-4: nothing animates in a pipe.
func TestCli4Pipe(t *testing.T) {
	out := new(bytes.Buffer)
	p := newProgress(out)
	p.Event(call(0, exec.CallRunning))
	p.Event(exec.Event{Kind: "log", Log: &exec.Log{Text: "printed"}})
	p.Event(call(0, exec.CallCompleted))
	p.Finish()
	if out.String() != "printed\n" {
		t.Errorf("%q", out.String())
	}
}

func TestTimeline(t *testing.T) {
	r := &exec.Result{Timing: exec.Timing{WallMs: 100}, Calls: []exec.CallRecord{
		{Tool: "mcp__a__first", Status: exec.CallCompleted, Timing: &exec.CallTiming{StartMs: 0, EndMs: 50, TotalMs: 50, RunMs: 50}},
		{Tool: "mcp__a__second", Status: exec.CallCompleted, Timing: &exec.CallTiming{StartMs: 0, EndMs: 100, TotalMs: 100, PermissionMs: 25, QueuedMs: 25, RunMs: 50}},
		{Tool: "mcp__a__denied", Status: exec.CallDenied, Timing: &exec.CallTiming{StartMs: 50, EndMs: 100, TotalMs: 50, PermissionMs: 50}},
		{Tool: "mcp__a__quick", Status: exec.CallCompleted, Timing: &exec.CallTiming{StartMs: 100, EndMs: 100}},
		{Tool: "mcp__a__refused", Status: exec.CallRefused},
	}}
	var out bytes.Buffer
	timeline(&out, r, 15+2+20+2+6+10, ascii)
	const want = `Timeline of 100 ms: ? permission  . queue  # running
mcp__a__first   |##########          |  50 ms completed
mcp__a__second  |?????.....##########| 100 ms completed
mcp__a__denied  |          ??????????|  50 ms denied
mcp__a__quick   |                   #|   0 ms completed
mcp__a__refused |                    |        refused
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	// Whatever names are made of, there is one line for each, and the pictures stand
	// below each other.
	r.Calls = nil
	names := map[string]int{"mcp__a__b": 9, "mcp__a__e\u0301": 9, "mcp__a__ｶﾅ": 10, "mcp__a__ツール": 14, "mcp__a__\tb\n| 1 ms completed": 27, "mcp__a__😀": 10, "mcp__a__…": 9, "mcp__a__ключ": 12}
	for name, want := range names {
		if got := columns(oneLine(name)); got != want {
			t.Errorf("%q: %d columns, want %d", name, got, want)
		}
		for _, more := range []string{"", strings.Repeat("x", 50), strings.Repeat("長", 20)} {
			r.Calls = append(r.Calls, exec.CallRecord{Tool: name + more, Status: exec.CallCompleted, Timing: &exec.CallTiming{EndMs: 1, TotalMs: 1, RunMs: 1}})
		}
	}
	out.Reset()
	timeline(&out, r, 60, ascii)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")[1:]
	for _, line := range lines {
		if before, _, _ := strings.Cut(line, " |#"); columns(before) != columns(lines[0][:strings.Index(lines[0], " |#")]) || columns(line) > 60 {
			t.Errorf("%q beside\n%q", line, lines[0])
		}
	}
	if len(lines) != len(r.Calls) {
		t.Errorf("%d lines for %d calls", len(lines), len(r.Calls))
	}
	for width := 1; width < 100; width += 7 { // a narrow one is still one
		out.Reset()
		timeline(&out, r, width, blocks)
		if lines := strings.Count(out.String(), "\n"); lines != 1+len(r.Calls) {
			t.Errorf("%d columns: %d lines", width, lines)
		}
	}
}

func TestUnified(t *testing.T) {
	want := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm"
	got := strings.Replace(strings.Replace(want, "b", "B\nB2", 1), "m", "", 1)
	const diff = `--- recorded
+++ now
@@ -1,5 +1,6 @@
 a
-b
+B
+B2
 c
 d
 e
@@ -10,4 +11,4 @@
 j
 k
 l
-m
+
`
	if d := linediff.Unified("recorded", "now", want, got); d != diff {
		t.Errorf("got\n%s", d)
	}
}
