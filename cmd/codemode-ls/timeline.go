package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"codemode-ls/exec"

	"golang.org/x/term"
)

// Marks of a timeline: waiting for a person, waiting for its turn, at the server.
type marks struct{ asked, queued, running, none string }

var (
	blocks = marks{asked: "░", queued: "▒", running: "█", none: " "}
	ascii  = marks{asked: "?", queued: ".", running: "#", none: " "}
)

// Bounds of a timeline: fewer columns for the bars are of no use, and more lines
// than these nobody reads.
const (
	minBar      = 10
	maxTimeline = 200
)

// timeline draws the calls of a run in a width: a line for each, from the run's
// start on the left to its end on the right.
func timeline(w io.Writer, r *exec.Result, width int, m marks) {
	if len(r.Calls) == 0 {
		fmt.Fprintln(w, "Timeline: no calls.")
		return
	}
	span := max(r.Timing.WallMs, 1)
	label, took := 0, 0
	calls := r.Calls[:min(len(r.Calls), maxTimeline)]
	for _, c := range calls {
		if c.Timing != nil {
			span = max(span, c.Timing.EndMs)
			took = max(took, len(milliseconds(c.Timing.TotalMs)))
		}
		label = max(label, columns(oneLine(c.Tool)))
	}
	bar := width - took - len(" |") - len("| ") - len(" completed")
	label = min(label, max(bar-minBar, minBar))
	bar = max(bar-label, minBar)
	fmt.Fprintf(w, "Timeline of %s: %s permission  %s queue  %s running\n", milliseconds(span), m.asked, m.queued, m.running)
	for _, c := range calls {
		line := bars(c.Timing, span, bar, m)
		total := ""
		if c.Timing != nil {
			total = milliseconds(c.Timing.TotalMs)
		}
		fmt.Fprintf(w, "%s |%s| %*s %s\n", fitted(oneLine(c.Tool), label), line, took, total, c.Status)
	}
	if more := len(r.Calls) - len(calls); more > 0 {
		fmt.Fprintf(w, "… and %d more\n", more)
	}
}

// bars is one call in a number of columns. What took any time has at least one.
func bars(t *exec.CallTiming, span int64, width int, m marks) string {
	if t == nil {
		return strings.Repeat(m.none, width)
	}
	at := func(ms int64) int { return int(min(max(ms, 0), span) * int64(width) / span) }
	asked := t.StartMs
	queued := asked + t.PermissionMs
	running := queued + t.QueuedMs
	if t.RunMs > 0 {
		running = max(running, t.EndMs-t.RunMs)
	}
	end := t.EndMs
	var b strings.Builder
	column := 0
	fill := func(mark string, to int) {
		for ; column < min(to, width); column++ {
			b.WriteString(mark)
		}
	}
	fill(m.none, min(at(asked), width-1))
	if t.PermissionMs > 0 {
		fill(m.asked, max(at(queued), column+1))
	}
	if t.QueuedMs > 0 {
		fill(m.queued, max(at(running), column+1))
	}
	fill(m.none, min(at(running), width-1))
	if t.RunMs > 0 || t.PermissionMs == 0 && t.QueuedMs == 0 {
		fill(m.running, max(at(end), column+1))
	}
	fill(m.none, width)
	return b.String()
}

// fitted is a text in a number of columns, cut in its middle: both ends of a
// tool's name distinguish it.
func fitted(s string, width int) string {
	if n := columns(s); n <= width {
		return s + strings.Repeat(" ", width-n)
	}
	runes := []rune(s)
	for out := len(runes) - width; out < len(runes); out++ {
		keep := len(runes) - out - 1
		head := keep / 2
		short := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if n := columns(short); n <= width {
			return short + strings.Repeat(" ", width-n)
		}
	}
	return strings.Repeat(" ", width)
}

// milliseconds is a duration for display.
func milliseconds(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}

// screenWidth is the width of a terminal, or what COLUMNS says, or 80.
func screenWidth(w any) int {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return min(n, 1000)
	}
	return 80
}

// marksFor are the marks that the reader's characters allow.
func marksFor(environment func(string) string) marks {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(environment(name)); v != "" {
			if strings.Contains(v, "utf-8") || strings.Contains(v, "utf8") {
				return blocks
			}
			return ascii
		}
	}
	return ascii
}

// cutTo is the beginning of a line that fits.
func cutTo(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	for len(s) > 0 && columns(s)+1 > width {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s + "…"
}
