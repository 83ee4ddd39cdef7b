package lsp

import (
	"fmt"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// MCP-8, POOL-5: whatever is remarkable about a server is in codemode/servers, and a
// change of nothing else is announced.
func TestPool5FaultsOfServersAreAnnounced(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"experimental":{"codemode":{"protocolVersion":1}}}`)
	server := upstream.Status{Server: config.Server{Name: "a"}, State: upstream.Connected}
	announced := func() string {
		w.change(func(s *workspace.Snapshot) { s.Servers = []upstream.Status{server} })
		return string(c.notification(NoticeServersChanged).Params)
	}
	announced()
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() { server.Faults = []string{"it floods\x1b[2J its standard error"} }, `"faults":["it floods`},
		{func() { server.LeftOut = []string{"tool 3 is left out: it has no name"} }, `"problems":["tool 3 is left out: it has no name"]`},
		{func() { server.CodeMode = true }, `"codeMode":true`},
		{func() { server.State, server.Self = upstream.Stopped, true }, `"self":true`},
	} {
		step.change()
		if got := announced(); !strings.Contains(got, step.want) || strings.Contains(got, "u001b") {
			t.Errorf("%s, want %s", got, step.want)
		}
	}
}

// POOL-2, POOL-5: a tool that another server's tool has displaced is named as left out.
func TestPool5DisplacedTools(t *testing.T) {
	tool := []jsontext.Value{jsontext.Value(`{"name":"x","inputSchema":{"type":"object"}}`)}
	snap := &workspace.Snapshot{
		Catalog: catalog.New([]*catalog.Server{catalog.NewServer("a.b", tool, "", false), catalog.NewServer("a_b", tool, "", false)}, nil),
		Servers: []upstream.Status{{Server: config.Server{Name: "a.b"}}, {Server: config.Server{Name: "a_b"}}},
	}
	list := overview.Servers(snap)
	if len(list[0].Problems) != 0 || fmt.Sprint(list[1].Problems) != "[mcp__a_b__x is left out: server a.b has a tool of this name]" {
		t.Errorf("%q, %q", list[0].Problems, list[1].Problems)
	}
}

// PERM-14: codemode/permissions says of each rule whether it counts and whether it
// matches a tool, and a file's rule that does not is a hint at its place.
func TestPerm14NoticesOfRules(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{}`)
	if err := w.rules.Set(permission.User, permission.Deny, "mcp__gti__*"); err != nil {
		t.Fatal(err)
	}
	w.change(func(s *workspace.Snapshot) {
		s.Rules = w.rules.Rules()
		s.Catalog = pool("git", "push")
		s.Listed = s.Catalog.Servers()
		s.Servers = []upstream.Status{{Server: config.Server{Name: "git"}, State: upstream.Connected}}
	})
	m := c.await("the hint", func(m message) bool {
		return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), DiagnosticUnmatchedRule)
	})
	if text := string(m.Params); !strings.Contains(text, "permissions.json") || !strings.Contains(text, "did you mean mcp__git__*?") || !strings.Contains(text, `"severity":4`) {
		t.Error(text)
	}
	if got := c.call("codemode/permissions", `{}`).ok(); !strings.Contains(got, `"counts":true,"why":"counts","notice":"no server has the name gti here; did you mean mcp__git__*?"`) {
		t.Error(got)
	}
}

// EXEC-6, DIAG-1: a tool of a server that is away is reported as that, with the
// reason, and never as a misspelling of itself.
func TestToolsOfServersThatAreAway(t *testing.T) {
	full := pool("a", "get", "put")
	for _, test := range []struct {
		status upstream.Status
		want   string
	}{
		{upstream.Status{State: upstream.Failed, Error: "exit status 7"}, "has failed: exit status 7"},
		{upstream.Status{State: upstream.Untrusted}, "waits for your approval"},
		{upstream.Status{State: upstream.Untrusted, Refused: true}, "You have refused server a"},
		{upstream.Status{State: upstream.Stopped}, "switched off"},
		{upstream.Status{State: upstream.Stopped, Self: true}, "this program itself"},
	} {
		test.status.Server = config.Server{Name: "a"}
		w := newFakeWorkspace(t, echo)
		c := initialized(t, w, `{}`)
		w.change(func(s *workspace.Snapshot) { s.Catalog, s.Servers = pool("b", "get"), []upstream.Status{test.status} })
		for !strings.Contains(c.call("codemode/catalog", `{}`).ok(), `"total":1`) {
		}
		for _, method := range []string{"codemode/describe", "codemode/namespace"} {
			name := "mcp__a__get"
			if method == "codemode/namespace" {
				name = "a"
			}
			if m := c.call(method, `{"name":"`+name+`"}`).fails(int(CodeUnknownTool)); !strings.Contains(m.Error.Message, test.want) || strings.Contains(m.Error.Message, "did you mean") {
				t.Errorf("%s: %s", method, m.Error.Message)
			}
		}
		d := analysis.NewDiagnosis(&workspace.Snapshot{Catalog: catalog.Empty(), Config: &config.Config{}, Rules: permission.NewRules(nil), Servers: []upstream.Status{test.status}}, true, analysis.NewDocument("", 0, script.TypeScript, "await tools.mcp__a__get({})", ""))
		d.Run()
		if len(d.Found) != 1 || !strings.Contains(d.Found[0].Message, test.want) || strings.Contains(d.Found[0].Message, "no tool") || strings.Contains(d.Found[0].Message, "Did you mean") {
			t.Errorf("%+v", d.Found)
		}
	}
	// The engine knows the pool after the crash, the check the one before it.
	d := analysis.NewDiagnosis(&workspace.Snapshot{Catalog: full, Config: &config.Config{}, Rules: permission.NewRules(nil)}, true, analysis.NewDocument("", 0, script.TypeScript, "const t = tools; await t.mcp__a__get({})", ""))
	d.Checked = true
	d.Types = []protocol.Diagnostic{{
		Range: protocol.Range{Start: protocol.Position{Character: 25}, End: protocol.Position{Character: 36}}, Severity: protocol.DiagnosticSeverityError,
		Code: protocol.Integer(2339), Message: protocol.String("Property 'mcp__a__get' does not exist on type 'Tools'."),
	}}
	d.Run()
	if len(d.Found)+len(d.Types) != 0 || !d.Pending {
		t.Errorf("%+v %+v", d.Found, d.Types)
	}
}
