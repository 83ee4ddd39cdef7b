package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// crowd are three servers with a tool of each kind, that write what they do into
// one timeline.
func crowd(t *testing.T, timeline string) (defs []config.Server) {
	for _, name := range []string{"a", "b", "c"} {
		server := mcptest.Write(t, fmt.Sprintf(`{"name": %q, "timeline": %q, "tools": [
			{"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
			{"name": "put", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": true, "destructiveHint": false}},
			{"name": "drop", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}},
			{"name": "plain", "inputSchema": {"type": "object"}}
		], "calls": {"read": {"delayMs": 2}, "put": {"delayMs": 1}, "plain": {"delayMs": 1}}}`, name, timeline))
		defs = append(defs, server.Config(t, name))
	}
	return defs
}

// An entry of a timeline.
type entry struct {
	Server, Event, Tool string
	Arguments           struct{ I int }
}

func readTimeline(t *testing.T, path string) (entries []entry) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n")) {
		var e entry
		if err := json.Unmarshal(line, &e, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		entries = append(entries, e)
	}
	return entries
}

// checkTimeline compares what really overlapped at the servers with SCHED-1, and
// gives how much did: for how many calls something else ran when they came, and
// how many ran at once. loose are servers that the rule is turned off for.
func checkTimeline(t *testing.T, entries []entry, most int, loose map[string]bool) (overlapping, peak int) {
	t.Helper()
	running := map[int]entry{}
	last := map[string]int{"a": -1, "b": -1, "c": -1}
	for _, e := range entries {
		if e.Event == "answer" {
			delete(running, e.Arguments.I)
			continue
		}
		if e.Arguments.I <= last[e.Server] {
			t.Errorf("call %d came to server %s after call %d", e.Arguments.I, e.Server, last[e.Server])
		}
		last[e.Server] = e.Arguments.I
		for _, other := range running {
			switch {
			case e.Tool == "drop" && !loose[e.Server], other.Tool == "drop" && !loose[other.Server]:
				t.Errorf("call %d (%s) and %d (%s) overlap, and one of them is destructive", e.Arguments.I, e.Tool, other.Arguments.I, other.Tool)
			case e.Tool == "plain" && other.Tool == "plain" && e.Server == other.Server && !loose[e.Server]:
				t.Errorf("calls %d and %d overlap on server %s", e.Arguments.I, other.Arguments.I, e.Server)
			}
		}
		if len(running) > 0 {
			overlapping++
		}
		running[e.Arguments.I] = e
		peak = max(peak, len(running))
	}
	if len(running) > 0 || peak > most {
		t.Errorf("%d calls without an answer, %d at once", len(running), peak)
	}
	return overlapping, peak
}

// mixed is a script of n concurrent calls; weights says how often which tool.
func mixed(n int) string {
	return fmt.Sprintf(`
let seed = 7;
const random = n => (seed = (seed * 1103515245 + 12345) %% 2147483648, Math.floor(seed / 65536) %% n);
const kinds = ["read", "read", "read", "read", "put", "put", "plain", "plain", "plain", "drop"];
const calls = [];
for (let i = 0; i < %d; i++) calls.push(tools["mcp__" + "abc"[random(3)] + "__" + kinds[random(kinds.length)]]({ i }));
return (await Promise.all(calls)).length;`, n)
}

// SCHED-1 at real servers: 1,000 calls made at once, of all kinds, on three of
// them. Destructive ones are alone, read-only and idempotent ones together up to
// the cap, all others one after the other per server, and calls start in the
// order in which they were made.
func TestSched1AtServers(t *testing.T) {
	timeline := filepath.Join(t.TempDir(), "timeline")
	w := open(t, Options{Allow: []string{"mcp__*__*"}, Sources: config.Sources{Editor: jsontext.Value(servers(t, crowd(t, timeline)...))}})
	started := 0
	r := w.Runner().Run(t.Context(), exec.Request{
		Code: mixed(1000), Language: script.TypeScript, MaxToolCalls: 1000, TimeoutMs: 120_000,
		Events: func(e exec.Event) {
			if e.Kind == "call" && e.Call.Status == exec.CallRunning && e.Progress == nil {
				if e.Call.Index != started {
					t.Errorf("call %d started as number %d", e.Call.Index, started)
				}
				started++
			}
		},
	})
	if string(r.Value) != "1000" {
		t.Fatal(r.Text)
	}
	entries := readTimeline(t, timeline)
	overlapping, peak := checkTimeline(t, entries, config.DefaultLimits().MaxConcurrent, nil)
	t.Logf("%d calls came while others ran, %d at most at once", overlapping, peak)
	if len(entries) != 2000 || overlapping < 200 || peak < 3 {
		t.Errorf("%d entries, %d overlapping, %d at once", len(entries), overlapping, peak)
	}
}

// SCHED-1: exec.concurrency turns the rule off for the servers that it names.
func TestSched1Concurrency(t *testing.T) {
	timeline := filepath.Join(t.TempDir(), "timeline")
	settings := servers(t, crowd(t, timeline)...)
	settings = `{"exec.concurrency": {"a": "together"}, ` + settings[1:]
	w := open(t, Options{Allow: []string{"mcp__*__*"}, Sources: config.Sources{Editor: jsontext.Value(settings)}})
	r := w.Runner().Run(t.Context(), exec.Request{Code: `
const all = [];
for (let i = 0; i < 60; i++) all.push(tools["mcp__" + (i % 10 ? "a" : "b") + "__" + (i % 2 ? "plain" : "drop")]({ i }));
return (await Promise.all(all)).length;`, Language: script.TypeScript})
	if string(r.Value) != "60" {
		t.Fatal(r.Text)
	}
	overlapping, peak := checkTimeline(t, readTimeline(t, timeline), config.DefaultLimits().MaxConcurrent, map[string]bool{"a": true})
	if overlapping < 10 || peak < 2 {
		t.Errorf("%d overlapping, %d at once", overlapping, peak)
	}
}
