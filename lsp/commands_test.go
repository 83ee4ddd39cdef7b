package lsp

import (
	"context"
	"os"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
)

// plainEditor is a client that knows nothing of us but can show documents and
// messages.
const plainEditor = `{"window":{"showDocument":{"support":true}},"textDocument":{"codeLens":{}}}`

// shownText is the text of the next document that the server has shown.
func (c *testClient) shownText() string {
	c.t.Helper()
	var shown struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(c.notification("window/showDocument").Params, &shown); err != nil {
		c.t.Fatal(err)
	}
	text, err := os.ReadFile(strings.TrimPrefix(shown.URI, "file://"))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func (c *testClient) command(name, arguments string) *pendingAnswer {
	return c.call("workspace/executeCommand", `{"command":"`+name+`","arguments":[`+arguments+`]}`)
}

func connected(name, url string) upstream.Status {
	return upstream.Status{State: upstream.Connected, Tools: 2, Server: config.Server{Name: name, URL: url, File: "/w/.mcp.json"}}
}

// CMD-1: all that a person does from a menu works from a client that knows
// nothing of us.
func TestCmd1(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, plainEditor)
	c.answerWith(func(m message) string {
		switch m.Method {
		case "window/showDocument":
			return `{"success":true}`
		case "window/showMessageRequest":
			return `{"title":"b"}`
		}
		return "null"
	})
	w.change(func(s *workspace.Snapshot) {
		s.Catalog = pool("a", "get", "put")
		s.Servers = []upstream.Status{connected("a", ""), connected("b", "https://example.com")}
	})
	for !strings.Contains(c.call("codemode/catalog", `{}`).ok(), `"total":2`) {
	}
	said := func(want string) {
		t.Helper()
		if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), want) {
			t.Errorf("message %s, want %q", m.Params, want)
		}
	}
	shown := func(want string) {
		t.Helper()
		if got := c.shownText(); !strings.Contains(got, want) {
			t.Errorf("document %q, want %q", got, want)
		}
	}

	// Without a script there is nothing to run; with one, no argument is needed.
	c.command("codemode.run", "").fails(-32602)
	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.exec.ts","languageId":"typescript","version":1,"text":"await tools.mcp__a__get({}); await tools.mcp__a__nope({})"}}`)
	c.command("codemode.run", "").ok()
	said("completed")
	shown("tools.mcp__a__get")
	c.command("codemode.dryRun", `"file:///a.exec.ts"`).ok()
	said("completed")
	shown("tools.mcp__a__get")
	c.command("codemode.stop", "").ok()
	said("No script is running")
	c.command("codemode.showTools", "").ok()
	shown("mcp__a__get: will ask, server a live\n")

	c.command("codemode.restartServer", `"a"`).ok()
	said("Server a is started again")
	c.command("codemode.restartServer", "").ok() // the person chooses b
	said("Server b is started again")
	c.command("codemode.restartServer", `"z"`).fails(int(CodeUnknownServer))
	if got := strings.Join(w.restarted, " "); got != "a b" {
		t.Errorf("restarted %s", got)
	}
	c.command("codemode.authenticate", `"a"`).ok()
	said("has no sign-in: give it what it needs by env in /w/.mcp.json")
	c.command("codemode.authenticate", `"b"`).ok()
	said("Signed in to b")
	if m := c.notification("window/showDocument"); !strings.Contains(string(m.Params), `"uri":"https://login.example/authorize?state=x"`) || !strings.Contains(string(m.Params), `"external":true`) {
		t.Errorf("%s", m.Params)
	}
	c.command("codemode.signOut", `"b"`).ok()
	said("Signed out of b")
	c.command("codemode.signOut", `"b"`).ok()
	said("Nobody was signed in to b")
	c.command("codemode.authenticate", `"z"`).fails(int(CodeUnknownServer))
	c.command("codemode.refresh", "").ok()
	said("Reloading configuration and tool lists")
	if w.refreshed != 1 {
		t.Errorf("refreshed %d times", w.refreshed)
	}
	c.command("codemode.openTypes", "").ok()
	shown("mcp__a__get(")
	c.command("codemode.openCatalog", "").ok()
	shown("tools.mcp__a__get(")
	c.command("codemode.showServers", "").ok()
	shown("a: connected, 2 tools")
	c.command("codemode.setPermission", `"mcp__a__get","allow","session"`).ok()
	c.command("codemode.clearRules", "").ok()
	said("Session rules removed: 1. ")
	c.command("codemode.explain", `"unknown-tool"`).ok()
	shown("# unknown-tool")
	c.command("codemode.explain", `"nope"`).fails(-32602)
	c.command("codemode.showLog", "").ok()
	shown("msg=initialize")
}

// A client that cannot show documents is told where they are.
func TestCmd1NoDocuments(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{}`)
	<-w.open
	c.command("codemode.openCatalog", "").ok()
	if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), "catalog.md") {
		t.Errorf("message %s", m.Params)
	}
}

// LENS-1: what can be done with a script, which tools it uses, what would happen
// at each call; RUN-1: how each call of the last run went, beside its line, until
// the next edit.
func TestLens1Run1(t *testing.T) {
	at := script.Range{Start: script.Position{Line: 1, Character: 6}, End: script.Position{Line: 1, Character: 23}}
	going := make(chan struct{})
	timing := func(from, to int64) *exec.CallTiming {
		return &exec.CallTiming{StartMs: from, EndMs: to, TotalMs: to - from, RunMs: to - from}
	}
	run := func(ctx context.Context, q exec.Request) *exec.Result {
		call := func(i int, status exec.CallStatus, t *exec.CallTiming) {
			q.Events(exec.Event{RunID: "r", Kind: "call", Call: &exec.CallRecord{Index: i, Tool: "mcp__a__get", Status: status, Range: &at, Timing: t}})
		}
		q.Events(exec.Event{RunID: "r", Kind: "started"})
		call(0, exec.CallRunning, nil)
		<-going
		call(0, exec.CallCompleted, timing(5, 125))
		call(1, exec.CallFailed, timing(5, 1505))
		call(1, exec.CallFailed, timing(5, 1505))
		return &exec.Result{
			RunID: "r", Status: exec.CodeError, Summary: "failed", Error: &exec.Error{Name: "Error", Message: "no", Range: &at},
			Warnings: []exec.Warning{{Message: "nobody awaited it", Range: &script.Range{}}},
		}
	}
	for _, inlay := range []bool{true, false} {
		w := newFakeWorkspace(t, run)
		capabilities := `{"textDocument":{"codeLens":{}},"workspace":{"codeLens":{"refreshSupport":true}}}`
		if inlay {
			capabilities = `{"textDocument":{"codeLens":{},"inlayHint":{}},"workspace":{"codeLens":{"refreshSupport":true},"inlayHint":{"refreshSupport":true}}}`
		}
		c := initialized(t, w, capabilities)
		w.change(func(s *workspace.Snapshot) {
			s.Catalog = pool("a", "get", "put", "del")
			s.Rules = permission.NewRules([]permission.Rule{
				{Effect: permission.Allow, Layer: permission.User, Match: "mcp__a__get"},
				{Effect: permission.Deny, Layer: permission.User, Match: "mcp__a__del"},
			})
		})
		for !strings.Contains(c.call("codemode/catalog", `{}`).ok(), `"total":3`) {
		}
		c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.exec.ts","languageId":"typescript","version":1,"text":"// a\nawait tools.mcp__a__get({}); await tools.mcp__a__put({});\nawait tools.mcp__a__del({});"}}`)
		lenses := func() string {
			all := c.call("textDocument/codeLens", `{"textDocument":{"uri":"file:///a.exec.ts"}}`).ok()
			if !inlay {
				return all
			}
			return all + c.call("textDocument/inlayHint", `{"textDocument":{"uri":"file:///a.exec.ts"},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}}`).ok()
		}
		has := func(all string, wants ...string) {
			t.Helper()
			for _, want := range wants {
				if !strings.Contains(all, want) {
					t.Errorf("inlay %v: %q is missing in %s", inlay, want, all)
				}
			}
		}
		has(lenses(), `"▶ Run"`, `"Dry run"`, `"uses 3 tools: 1 allowed, 1 will ask, 1 denied"`, "allowed by mcp__a__get (user)", "will ask", "denied by mcp__a__del (user)")

		ran := c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"}}`)
		c.notification("workspace/codeLens/refresh")
		for !strings.Contains(lenses(), "… running") {
		}
		has(lenses(), `"■ Stop"`)
		going <- struct{}{}
		ran.ok()
		all := lenses()
		has(all, "✗ 1 of 2 calls: failed, 1.5 s", `"last run failed: no"`)
		if shown := `"label":"allowed by mcp__a__get (user) · ✗ 1 of 2 calls`; strings.Contains(all, shown) != inlay {
			t.Errorf("inlay %v: %s", inlay, all)
		}
		if inlay {
			has(all, `"position":{"line":1,"character":57}`)
			c.notification("workspace/inlayHint/refresh")
		} else {
			has(all, `"allowed by mcp__a__get (user) · ✗`)
		}
		c.await("the marks", func(m message) bool {
			return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), `"run-failed"`) && strings.Contains(string(m.Params), `"run-warning"`)
		})
		c.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///a.exec.ts","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":" "}]}`)
		if all := lenses(); strings.Contains(all, "✗") {
			t.Errorf("states after an edit: %s", all)
		}
	}
}

// RUN-1: a failure of no place is shown on the first line, a call that many
// rounds made as one.
func TestStateWords(t *testing.T) {
	call := func(status exec.CallStatus, from, to int64) exec.CallRecord {
		return exec.CallRecord{Status: status, Timing: &exec.CallTiming{StartMs: from - 5000, PermissionMs: 5000, RunMs: to - from, EndMs: to}}
	}
	for _, tt := range []struct {
		calls []exec.CallRecord
		want  string
	}{
		{[]exec.CallRecord{call(exec.CallCompleted, 10, 20)}, "✓ 10 ms"},
		{[]exec.CallRecord{call(exec.CallCompleted, 10, 20), call(exec.CallCompleted, 15, 12015)}, "✓ 2 calls, 12 s"},
		{[]exec.CallRecord{call(exec.CallDenied, 10, 2010)}, "✗ denied, 2.0 s"},
		{[]exec.CallRecord{call(exec.CallCompleted, 10, 20), call(exec.CallCompleted, 5020, 5030)}, "✓ 2 calls, 20 ms"}, // waiting for a person is not a call's time
		{[]exec.CallRecord{{Status: exec.CallCompleted, Verdict: "ask"}}, "dry run: would ask"},
		{[]exec.CallRecord{{Status: exec.CallDenied, Verdict: "deny", VerdictBy: "mcp__a__* (user)"}}, "dry run: would be denied by mcp__a__* (user)"},
		{[]exec.CallRecord{{Status: exec.CallWaiting}}, "… waiting for permission"},
		{[]exec.CallRecord{{Status: exec.CallCompleted}, {Status: exec.CallQueued}}, "… 2 calls, queued"},
		{[]exec.CallRecord{{Status: exec.CallFailed, Error: "no such\nfile"}}, "✗ failed: no such file"},
	} {
		if got := analysis.StateWords(tt.calls); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// VSC-9, PERM-11: what was decided, and by which rule.
func TestAudit(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{}`)
	want := `[{"time":"2026-01-02T03:04:05.000006Z","runId":"r","tool":"mcp__a__x","decision":"deny","by":"rule","rule":"mcp__a__*","layer":"user"}]`
	if got := c.call("codemode/audit", `{"limit":5}`).ok(); got != want {
		t.Errorf("got %s", got)
	}
}

func (w *fakeWorkspace) Restart(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restarted = append(w.restarted, name)
	return nil
}

func (w *fakeWorkspace) Refresh() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refreshed++
}

// MCP-4: a server that demands a sign-in is asked about once, by its name and host; the
// answer opens a browser, and the page's address is said where that cannot be.
func TestMCP4EditorAsks(t *testing.T) {
	for _, client := range []string{plainEditor, `{}`} {
		w := newFakeWorkspace(t, echo)
		c := initialized(t, w, client)
		c.answerWith(func(m message) string {
			if m.Method == "window/showMessageRequest" {
				return `{"title":"Sign in"}`
			}
			return `{"success":true}`
		})
		demanding := connected("b", "https://mcp.example/mcp?key=hidden")
		demanding.State, demanding.SignIn = upstream.Failed, true
		for range 2 {
			w.change(func(s *workspace.Snapshot) { s.Servers = []upstream.Status{demanding} })
		}
		if m := c.notification("window/showMessageRequest"); !strings.Contains(string(m.Params), `The MCP server b (mcp.example) demands that you sign in.`) {
			t.Errorf("%s", m.Params)
		}
		if client == plainEditor {
			if m := c.notification("window/showDocument"); !strings.Contains(string(m.Params), `https://login.example/authorize`) {
				t.Errorf("%s", m.Params)
			}
		} else if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), `open this address of login.example in a browser`) {
			t.Errorf("%s", m.Params)
		}
		if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), "Signed in to b.") {
			t.Errorf("%s", m.Params)
		}
		if got := c.call("codemode/servers", `{}`).ok(); !strings.Contains(got, `"auth":"required"`) {
			t.Errorf("%s", got)
		}
		c.call("codemode/authenticate", `{"name":"b","scopes":["write"]}`).ok()
		w.mu.Lock()
		if got := strings.Join(w.signedIn, ","); got != "b,b write" {
			t.Errorf("signed in: %s", got)
		}
		w.mu.Unlock()
		c.call("codemode/authenticate", `{"name":"z"}`).fails(int(CodeUnknownServer))
	}
}
