package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"codemode-ls/exec"
	"codemode-ls/exec/cassette"
	"codemode-ls/workspace"
)

// live runs a script on the real servers and reports what differs from the recording:
// tools that are gone, answers, calls, the result (CLI-13). The recording stays.
func (c *testCommand) live(a *app, w *workspace.Workspace, request exec.Request, path string, recorded *cassette.Cassette) tested {
	request.Input, request.Record = recorded.Input, new(cassette.Recorder)
	progress := newProgress(a.stderr)
	terminal := a.openTerminal()
	if terminal != nil {
		terminal.progress = progress
	}
	request.Asker, request.Events = a.asker(terminal, w), progress.Event
	t := tested{result: w.Runner().Run(a.ctx, request)}
	progress.Finish()
	if a.ctx.Err() != nil {
		return t
	}
	var what []string
	var details strings.Builder
	if gone := goneTools(w, recorded); gone != "" {
		what = append(what, "tools are gone")
		details.WriteString(gone)
	}
	if why := noRecording(t.result); why != "" && len(what) == 0 {
		t.problem, t.details = "not compared: "+why, t.result.Text+"\n"
		return t
	}
	now := request.Record.Cassette(filepath.Base(path), exec.Recorded(t.result))
	if changed := differentCalls(recorded.Calls, now.Calls); changed != "" {
		what = append(what, "answers differ")
		details.WriteString(changed)
	}
	if problem, text := differences(orNone(recorded.Result), now.Result); problem != "" {
		what = append(what, problem)
		details.WriteString(text)
	}
	t.problem, t.details = strings.Join(what, "; "), details.String()
	return t
}

// goneTools are the recorded tools that no server has now, a line each.
func goneTools(w *workspace.Workspace, recorded *cassette.Cassette) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, call := range recorded.Calls {
		if seen[call.Tool] || !strings.HasPrefix(call.Tool, "mcp__") {
			continue
		}
		seen[call.Tool] = true
		if _, ok := w.Snapshot().Catalog.Find(call.Tool); !ok {
			fmt.Fprintf(&b, "%s: no server has this tool now\n", call.Tool)
		}
	}
	return b.String()
}

// differentCalls compares recorded calls with those of now, each with the first one of
// the same tool and arguments.
func differentCalls(recorded, now []cassette.Call) string {
	var b strings.Builder
	same := func(x, y cassette.Call) bool { return x.Tool == y.Tool && pretty(x.Arguments) == pretty(y.Arguments) }
	now = slices.Clone(now)
	for _, was := range recorded {
		title := was.Tool + " " + shortened(string(was.Arguments), 200)
		i := slices.IndexFunc(now, func(call cassette.Call) bool { return same(was, call) })
		if i < 0 {
			fmt.Fprintf(&b, "%s: recorded, and not made now\n", title)
			continue
		}
		is := now[i]
		now = slices.Delete(now, i, i+1)
		_, text := differences(
			&cassette.Result{Status: string(was.Status), Value: was.Value, Error: was.Error, Output: was.Attachments},
			&cassette.Result{Status: string(is.Status), Value: is.Value, Error: is.Error, Output: is.Attachments})
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s", title, text)
		}
	}
	for _, call := range now {
		fmt.Fprintf(&b, "%s %s: made now, and not recorded\n", call.Tool, shortened(string(call.Arguments), 200))
	}
	return b.String()
}
