package lsp

import (
	"codemode-ls/exec/audit"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis/configfile"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/docs/diagnostics"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"
)

// configClient opens a configuration file of a folder whose servers are in the
// states that status gives them.
func configClient(t *testing.T, capabilities, name, text string, status func([]config.Server) []upstream.Status) (c *testClient, w *fakeWorkspace, u string) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w = newFakeWorkspace(t, nil)
	loaded := config.Load(config.Sources{Folders: []string{folder}})
	w.snapshot.Config, w.snapshot.Servers = loaded, status(loaded.Servers)
	c = connect(t, w)
	c.call("initialize", `{"processId":null,"workspaceFolders":[{"uri":"`+string(uri.File(folder))+`","name":"w"}],"capabilities":`+capabilities+`}`).ok()
	c.notify("initialized", `{}`)
	c.call("codemode/servers", `{}`).ok() // the workspace is open
	u = string(uri.File(path))
	c.open(u, text)
	return c, w, u
}

func (c *testClient) open(u, text string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		c.t.Fatal(err)
	}
	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+u+`","languageId":"json","version":1,"text":`+string(quoted)+`}}`)
}

func states(all ...upstream.Status) func([]config.Server) []upstream.Status {
	return func(servers []config.Server) []upstream.Status {
		list := slices.Clone(all)
		for i := range list {
			list[i].Server = servers[i]
		}
		return list
	}
}

const fourServers = `{ "mcpServers": {
  "good": { "command": "x" },
  "bad": { "command": "y", "comand": "z" },
  "new": { "command": "n" },
  "unset": { "command": "${SURELY_NOT_SET}" }
} }`

func fourStates(servers []config.Server) []upstream.Status {
	return states(
		upstream.Status{State: upstream.Connected, Tools: 3},
		upstream.Status{State: upstream.Failed, Error: "it ended with exit status 7", Stderr: "first\nno token\nlast\x1b[2J words\n"},
		upstream.Status{State: upstream.Untrusted},
		upstream.Status{State: upstream.Failed, Error: servers[3].Problem},
	)(servers)
}

// The state of servers and what is wrong with their definitions, pushed and pulled,
// each with a stable code.
func TestCFG1Diagnostics(t *testing.T) {
	want := []string{
		"2:2-2:7 1 server-failed This server has failed: it ended with exit status 7|It wrote last:|first|no token|last words",
		`2:27-2:35 2 unknown-field server "bad": unknown field "comand"`,
		"3:2-3:7 3 server-untrusted This server is not started before you have approved it. All that it would do: codemode-ls trust show new",
		`4:24-4:43 1 unset-variable server "unset": in "command": environment variable SURELY_NOT_SET is not set`,
	}
	check := func(t *testing.T, raw jsontext.Value) {
		t.Helper()
		got := shownDiagnostics(t, raw)
		if len(got) != len(want) {
			t.Fatalf("%q", got)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s\nwant %s", got[i], want[i])
			}
		}
	}
	t.Run("push", func(t *testing.T) {
		c, _, u := configClient(t, `{}`, ".codemode/mcp.json", fourServers, fourStates)
		m := c.await("diagnostics", func(m message) bool {
			return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), u)
		})
		var p struct {
			Diagnostics jsontext.Value `json:"diagnostics"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		check(t, p.Diagnostics)
	})
	t.Run("pull", func(t *testing.T) {
		c, _, u := configClient(t, `{"workspace":{"diagnostics":{"refreshSupport":true}},"textDocument":{"diagnostic":{}}}`, ".mcp.json", fourServers, fourStates)
		var p struct {
			Items jsontext.Value `json:"items"`
		}
		if err := json.Unmarshal([]byte(c.call("textDocument/diagnostic", `{"textDocument":{"uri":"`+u+`"}}`).ok()), &p); err != nil {
			t.Fatal(err)
		}
		check(t, p.Items)
	})
}

func shownDiagnostics(t *testing.T, raw jsontext.Value) (lines []string) {
	t.Helper()
	var list []struct {
		Range struct {
			Start, End struct{ Line, Character int }
		} `json:"range"`
		Severity int    `json:"severity"`
		Code     string `json:"code"`
		Message  string `json:"message"`
	}
	if err := json.Unmarshal(raw, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		r := d.Range
		lines = append(lines, fmt.Sprintf("%d:%d-%d:%d %d %s %s", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character,
			d.Severity, d.Code, strings.ReplaceAll(d.Message, "\n", "|")))
	}
	return lines
}

// at are params about a place of the document.
func at(u string, line, character int) string {
	return fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":%d,"character":%d}}`, u, line, character)
}

func TestCFG1Hover(t *testing.T) {
	c, w, u := configClient(t, `{"textDocument":{"hover":{"contentFormat":["markdown"]}},"experimental":{"codemode":{}}}`, ".codemode/mcp.json", fourServers, fourStates)
	w.change(func(s *workspace.Snapshot) {
		s.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("good", []jsontext.Value{jsontext.Value(`{"name":"do_it","title":"Do <b>it</b>","inputSchema":{"type":"object"}}`)}, "", false)}, nil)
	})
	c.notification("codemode/catalogChanged")
	for _, v := range []struct {
		line, character int
		want            []string
	}{
		{1, 4, []string{"MCP server `good`", "connected, 3 tools", "- `mcp__good__do_it` Do &lt;b", "mcp.json", "a file of codemode-ls in this workspace"}},
		{2, 4, []string{"failed: it ended with exit status 7", "no token"}},
		{3, 4, []string{"waits for your approval"}},
		{1, 13, []string{"`command`: string", "The program to start"}},
	} {
		got := c.call("textDocument/hover", at(u, v.line, v.character)).ok()
		for _, want := range v.want {
			if quoted, _ := jsontext.AppendQuote(nil, want); !strings.Contains(got, strings.Trim(string(quoted), `"`)) {
				t.Errorf("%d:%d: %s\nlacks %s", v.line, v.character, got, want)
			}
		}
	}
}

func TestCFG1Completion(t *testing.T) {
	for _, v := range []struct {
		name, text string // with "|" where the cursor is
		want, lack []string
	}{
		{".codemode/mcp.json", `{|}`, []string{"mcpServers", "inputs"}, []string{"servers"}},
		{".codemode/mcp.json", `{"mcpServers": {"a": {"command": "x", "ar|`, []string{"args", "env", "url", "disabled", "protocol"}, []string{"command"}},
		{".codemode/mcp.json", `{"mcpServers": {"a": {"type": "|"}}}`, []string{"stdio", "http", "sse"}, nil},
		{".codemode/mcp.json", `{"mcpServers": {"a": {"disabled": |}}}`, []string{"true", "false"}, nil},
		{".codemode/mcp.json", `{"mcpServers": {|}}`, []string{"server that is a program", "server with an address"}, nil},
		{".codemode/mcp.json", `{"mcpServers": {"a": {"args": ["--x=${|"]}}}`, []string{"${workspaceFolder}", "${env:CONFIG_TEST_NAME}"}, []string{"{file:}"}},
		{".vscode/mcp.json", `{"inputs": [{"id": "tok", "type": "promptString"}], "servers": {"a": {"env": {"T": "${i|"}}}}`, []string{"${input:tok}", "${userHome}"}, nil},
		{"opencode.json", `{"mcp": {"a": {"|"}}}`, []string{"type", "command", "environment"}, []string{"args", "env"}},
		{"opencode.json", `{"mcp": {"a": {"type": "local", "command": ["x", "{|"]}}}`, []string{"{env:CONFIG_TEST_NAME}"}, []string{"${workspaceFolder}"}},
		{".codex/config.toml", "[mcp_servers.a]\nc|\n", []string{"command", "cwd", "bearer_token_env_var"}, []string{"headers"}},
		{".gemini/settings.json", `{"mcpServers": {"a": {"h|"}}}`, []string{"httpUrl", "headers"}, []string{"serverUrl"}},
	} {
		t.Setenv("CONFIG_TEST_NAME", "secret value")
		offset := strings.IndexByte(v.text, '|')
		text := v.text[:offset] + v.text[offset+1:]
		c, _, u := configClient(t, `{"textDocument":{"completion":{"completionItem":{"snippetSupport":true}}}}`, v.name, text, states())
		line := strings.Count(text[:offset], "\n")
		got := c.call("textDocument/completion", at(u, line, offset-strings.LastIndexByte(text[:offset], '\n')-1)).ok()
		var list struct {
			Items []struct {
				Label string `json:"label"`
			} `json:"items"`
		}
		if err := json.Unmarshal([]byte(got), &list); err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, i := range list.Items {
			labels = append(labels, i.Label)
		}
		for _, want := range v.want {
			if !slices.Contains(labels, want) {
				t.Errorf("%s: %q lacks %s", v.text, labels, want)
			}
		}
		for _, lack := range v.lack {
			if slices.Contains(labels, lack) {
				t.Errorf("%s: %q has %s", v.text, labels, lack)
			}
		}
		if strings.Contains(got, "secret value") {
			t.Errorf("%s: the value of a variable is shown", v.text)
		}
	}
}

// POOL-2: a server whose tools are listed and ruled together with another one's.
func TestPool2SharedNamespaceDiagnostic(t *testing.T) {
	c, _, u := configClient(t, `{"textDocument":{"diagnostic":{}}}`, ".codemode/mcp.json", `{ "mcpServers": {
  "a": { "command": "x" },
  "a__b": { "command": "y" },
  "b": { "command": "z" }
} }`, states(upstream.Status{State: upstream.Connected}, upstream.Status{State: upstream.Failed, Error: "x"}, upstream.Status{State: upstream.Connected}))
	got := c.call("textDocument/diagnostic", `{"textDocument":{"uri":"`+u+`"}}`).ok()
	if strings.Count(got, `"code":"shared-namespace"`) != 1 || !strings.Contains(got, "This server and a share the namespace mcp__a: a rule for mcp__a__* counts for both.") {
		t.Error(got)
	}
}

// TRUST-1: who has refused a server is not told that it waits for them.
func TestTrust1RefusedLens(t *testing.T) {
	c, _, u := configClient(t, `{"textDocument":{"diagnostic":{}}}`, ".codemode/mcp.json", `{ "mcpServers": { "a": { "command": "x" } } }`,
		states(upstream.Status{State: upstream.Untrusted, Refused: true}))
	got := c.call("textDocument/codeLens", `{"textDocument":{"uri":"`+u+`"}}`).ok()
	if !strings.Contains(got, `"title":"refused by you"`) || !strings.Contains(got, `"title":"Approve"`) || strings.Contains(got, `"title":"Refuse"`) {
		t.Error(got)
	}
	got = c.call("textDocument/diagnostic", `{"textDocument":{"uri":"`+u+`"}}`).ok()
	if !strings.Contains(got, "You have refused this server") {
		t.Error(got)
	}
}

func TestCFG1Lenses(t *testing.T) {
	c, _, u := configClient(t, `{}`, ".codemode/mcp.json", fourServers, fourStates)
	got := c.call("textDocument/codeLens", `{"textDocument":{"uri":"`+u+`"}}`).ok()
	for _, want := range []string{
		`"title":"connected, 3 tools"`, `"title":"Restart","command":"codemode.restartServer","arguments":["good"]`,
		`"title":"failed: it ended with exit status 7"`, `"title":"Show log","command":"codemode.showServerLog","arguments":["bad"]`,
		`"title":"waits for your approval"`, `"title":"Approve","command":"codemode.approveServer","arguments":["new","`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if n := strings.Count(got, "codemode.restartServer"); n != 2 {
		t.Errorf("%d servers can be restarted", n)
	}
	c.call("workspace/executeCommand", `{"command":"codemode.showServerLog","arguments":["bad"]}`).ok()
	c.call("workspace/executeCommand", `{"command":"codemode.showServerLog","arguments":["nobody"]}`).fails(int(CodeUnknownServer))
}

func TestCFG1SymbolsAndFixes(t *testing.T) {
	c, _, u := configClient(t, `{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix"]}}}}}`, ".codemode/mcp.json", fourServers, fourStates)
	got := c.call("textDocument/documentSymbol", `{"textDocument":{"uri":"`+u+`"}}`).ok()
	for _, want := range []string{`"name":"good"`, `"detail":"connected, 3 tools"`, `"name":"command"`, `"name":"unset"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	got = c.call("textDocument/codeAction", `{"textDocument":{"uri":"`+u+`"},"range":{"start":{"line":2,"character":30},"end":{"line":2,"character":30}},"context":{"diagnostics":[]}}`).ok()
	if !strings.Contains(got, `"title":"Change to command"`) || !strings.Contains(got, `"newText":"\"command\""`) {
		t.Error(got)
	}
	got = c.call("textDocument/codeAction", `{"textDocument":{"uri":"`+u+`"},"range":{"start":{"line":3,"character":3},"end":{"line":3,"character":3}},"context":{"diagnostics":[]}}`).ok()
	if !strings.Contains(got, "Approve new as it is defined now") {
		t.Error(got)
	}
}

// A document that is no configuration file gets nothing, whatever is in it.
func TestCFG1OtherDocuments(t *testing.T) {
	c, _, u := configClient(t, `{}`, "package.json", fourServers, states())
	if got := c.call("textDocument/hover", at(u, 1, 4)).ok(); got != "null" {
		t.Error(got)
	}
	if got := c.call("textDocument/codeLens", `{"textDocument":{"uri":"`+u+`"}}`).ok(); got != "[]" {
		t.Error(got)
	}
}

// Every code that a configuration file can get has a page.
func TestCFG1Pages(t *testing.T) {
	codes := []string{configfile.DiagnosticServerFailed, configfile.DiagnosticServerUntrusted, configfile.DiagnosticServerNotStarted, configfile.DiagnosticInputNeeded, configfile.DiagnosticUndeclaredInput, configfile.DiagnosticNameConflict, configfile.DiagnosticSharedNamespace, DiagnosticBrokenRules, configfile.DiagnosticShadowed}
	files, err := filepath.Glob(filepath.Join("..", "config", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?:"(?:error|warning|information)", |problem\([^,\n]+, |variableError\{|Code: )"([a-z-]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			if m[1] != "error" && m[1] != "warning" {
				codes = append(codes, m[1])
			}
		}
	}
	if len(codes) < 25 {
		t.Fatalf("found %q only", codes)
	}
	for _, code := range codes {
		if text, ok := diagnostics.Page(code); !ok || !strings.HasPrefix(text, "# "+code+"\n") {
			t.Errorf("there is no page on %s", code)
		}
	}
}

// What is wrong in the editor's own settings is told to the person, once.
func TestWrongSettingsAreTold(t *testing.T) { // CFG-1
	w := newFakeWorkspace(t, nil)
	c := initialized(t, w, `{}`)
	c.call("codemode/servers", `{}`).ok()
	wrong := config.Load(config.Sources{Editor: jsontext.Value(`{"demo": 1}`)})
	w.change(func(s *workspace.Snapshot) { s.Config = wrong })
	if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), `\"demo\" must be true or false`) {
		t.Errorf("%s", m.Params)
	}
	w.change(func(s *workspace.Snapshot) { s.Config = config.Load(config.Sources{}) })
	c.call("codemode/restartServer", `{"name":"x"}`).wait()
	more := config.Load(config.Sources{Editor: jsontext.Value(`{"demo": 1, "exclude": 2}`)})
	w.change(func(s *workspace.Snapshot) { s.Config = more })
	if m := c.notification("window/showMessage"); strings.Contains(string(m.Params), `\"demo\"`) || !strings.Contains(string(m.Params), "exclude") {
		t.Errorf("%s", m.Params)
	}
}

// Inputs are asked for once, with what the client has for it.
func TestInputs(t *testing.T) { // MCP-2
	text := `{ "inputs": [{"id": "key", "type": "promptString", "password": true}, {"id": "mode", "type": "pickString", "options": ["a", "b"]}],
		"servers": { "s": { "command": "x", "args": ["${input:key}", "${input:mode}"] } } }`
	needy := func(servers []config.Server) []upstream.Status {
		return states(upstream.Status{State: upstream.Failed, Error: servers[0].InputProblem()})(servers)
	}
	value := func(w *fakeWorkspace, id string) string {
		s := w.Snapshot().Servers[0].Server
		v, _ := w.options.Sources.Inputs(s.File, id)
		return v
	}
	t.Run("client that knows", func(t *testing.T) {
		w := asksFor(t, `{"experimental":{"codemode":{"input":true}}}`, text, needy, func(m message) string {
			if m.Method != "codemode/input" {
				return "null"
			}
			if strings.Contains(string(m.Params), `"id":"key"`) {
				if !strings.Contains(string(m.Params), `"password":true`) {
					t.Errorf("%s", m.Params)
				}
				return `{"value":"s3cret"}`
			}
			return `{"value":"not one of them"}`
		}, func(c *testClient) {
			c.notification("codemode/input")
			c.notification("codemode/input")
		})
		if value(w, "key") != "s3cret" || value(w, "mode") != "" {
			t.Errorf("%q, %q", value(w, "key"), value(w, "mode"))
		}
	})
	t.Run("plain client", func(t *testing.T) {
		w := asksFor(t, `{}`, text, needy, func(m message) string {
			if m.Method == "window/showMessageRequest" && strings.Contains(string(m.Params), `{"title":"b"}`) {
				return `{"title":"b"}`
			}
			return "null"
		}, func(c *testClient) {
			if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), "CODEMODE_INPUT_KEY") {
				t.Errorf("%s", m.Params)
			}
			c.notification("window/showMessageRequest")
			c.call("workspace/executeCommand", `{"command":"codemode.answerInput","arguments":["key","k"]}`).ok()
			c.call("workspace/executeCommand", `{"command":"codemode.answerInput","arguments":["mode","c"]}`).fails(-32602)
			c.call("workspace/executeCommand", `{"command":"codemode.answerInput","arguments":["other","c"]}`).fails(-32602)
		})
		for value(w, "mode") == "" {
			<-w.reconfigured // for each of the two answers, or once for both
		}
		if value(w, "key") != "k" || value(w, "mode") != "b" {
			t.Errorf("%q, %q", value(w, "key"), value(w, "mode"))
		}
	})
}

// asksFor starts a client whose workspace needs answers and waits until the answers
// have made it read the configuration again.
func asksFor(t *testing.T, capabilities, text string, status func([]config.Server) []upstream.Status, answer func(message) string, talk func(*testClient)) *fakeWorkspace {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, ".vscode", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newFakeWorkspace(t, nil)
	w.snapshot.Config = config.Load(config.Sources{Folders: []string{folder}, LookupEnv: func(string) (string, bool) { return "", false }})
	w.snapshot.Servers = status(w.snapshot.Config.Servers)
	w.reconfigured = make(chan []string, 8)
	c := connect(t, w)
	c.answerWith(answer)
	c.call("initialize", `{"processId":null,"rootUri":null,"capabilities":`+capabilities+`}`).ok()
	c.notify("initialized", `{}`)
	talk(c)
	<-w.reconfigured
	return w
}

func (w *fakeWorkspace) Recalled(context.Context) error { return nil }

func (w *fakeWorkspace) Decisions(n int) ([]audit.Entry, error) {
	return []audit.Entry{{Time: "2026-01-02T03:04:05.000006Z", Run: "r", Leaf: "mcp__a__x", Decision: "deny", By: audit.By{Kind: "rule", Rule: "mcp__a__*", Layer: "user"}}}[:min(n, 1)], nil
}
