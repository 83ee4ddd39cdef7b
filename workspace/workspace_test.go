package workspace

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/demo"
	"codemode-ls/internal/mcptest"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/sandbox/guest"
	"codemode-ls/script"
	"codemode-ls/script/esbuild"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

// The test binary is every child that a workspace starts.
func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case sandbox.CompilerCommand:
			os.Exit(guest.CompilerMain(esbuild.Transform))
		case "demo":
			if demo.Serve(context.Background(), os.Stdin, os.Stdout) != nil {
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

const twoTools = `{"tools": [
	{"name": "get", "description": "Gets.", "inputSchema": {"type": "object"}},
	{"name": "drop", "description": "Drops.", "inputSchema": {"type": "object"}}
]}`

// servers is a section mcpServers, as JSON.
func servers(t *testing.T, defs ...config.Server) string {
	t.Helper()
	section := map[string]any{}
	for _, d := range defs {
		section[d.Name] = map[string]any{"command": d.Command, "args": d.Args, "env": d.Env}
	}
	b, err := json.Marshal(map[string]any{"mcpServers": section}, json.Deterministic(true)) // in the order of names
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type opened struct {
	*Workspace
	changed chan struct{}
}

func open(t *testing.T, o Options) opened {
	t.Helper()
	changed := make(chan struct{}, 1)
	o.Changed = func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	if o.Sources.UserDir == "" {
		o.Sources.UserDir = t.TempDir()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	w := Open(t.Context(), o)
	t.Cleanup(w.Close)
	if err := w.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	return opened{w, changed}
}

// wait waits until the workspace has told of a state that ok accepts.
func (w opened) wait(t *testing.T, what string, ok func(*Snapshot) bool) *Snapshot {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		s := w.Snapshot()
		if ok(s) {
			return s
		}
		select {
		case <-w.changed:
		case <-limit:
			t.Fatalf("%s: not told; the servers are %+v", what, s.Servers)
		}
	}
}

func names(s *Snapshot) string {
	var list []string
	for _, t := range s.Catalog.Tools() {
		list = append(list, t.Name)
	}
	return strings.Join(list, " ")
}

func (w opened) run(t *testing.T, code string, a exec.Asker) *exec.Result {
	t.Helper()
	return w.Runner().Run(t.Context(), exec.Request{Code: code, Language: script.TypeScript, Asker: a})
}

// CLI-1: with nothing configured the demo server stands in, and its tools run
// without a question.
func TestDemoWhenEmpty(t *testing.T) {
	w := open(t, Options{DemoWhenEmpty: true})
	s := w.Snapshot()
	if !s.UsesDemo || !strings.Contains(names(s), "mcp__demo__add") {
		t.Fatalf("%v: %s %+v", s.UsesDemo, names(s), s.Servers)
	}
	r := w.run(t, `const r = await tools.mcp__demo__add({ a: 2, b: 40 }); return r`, nil)
	if r.Status != exec.Completed || !strings.Contains(r.Text, "42") || r.Summary != "1 tool call\nmcp__demo__add" {
		t.Errorf("%s\n%s", r.Text, r.Summary)
	}
	for _, rule := range s.Rules.All() {
		if rule.Layer == permission.Builtin && strings.Contains(rule.Match, "*") {
			t.Errorf("a built-in rule with a wildcard: %s", rule.Match)
		}
	}
}

// A configured server that is named like the demo server gets nothing from it,
// nor does one whose key is the same (POOL-2).
func TestServersNamedDemoAreAskedFor(t *testing.T) {
	one, two := mcptest.Write(t, twoTools), mcptest.Write(t, twoTools)
	for _, defs := range [][]config.Server{{one.Config(t, "demo")}, {two.Config(t, "demo__x")}} {
		w := open(t, Options{DemoWhenEmpty: true, Sources: config.Sources{Editor: jsontext.Value(servers(t, defs...))}})
		s := w.Snapshot()
		if s.UsesDemo || len(s.Catalog.Tools()) != 2 {
			t.Fatalf("%s", names(s))
		}
		for _, tool := range s.Catalog.Tools() {
			if d := s.Rules.Decide(tool.Name); d.Effect != permission.Ask {
				t.Errorf("%s: %+v", tool.Name, d)
			}
		}
	}
}

// TRUST-1: nothing that a workspace file names is started before a person has
// approved that definition; a change asks again.
func TestTrust1(t *testing.T) {
	folder, user := t.TempDir(), t.TempDir()
	server := mcptest.Write(t, twoTools)
	file := filepath.Join(folder, ".codemode", "mcp.json")
	define := func(d config.Server) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(servers(t, d)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	def := server.Config(t, "w")
	define(def)
	w := open(t, Options{DemoWhenEmpty: true, Sources: config.Sources{Folders: []string{folder}, UserDir: user}})
	pending := w.Pending()
	if s := w.Snapshot(); names(s) != "" || s.UsesDemo || len(pending) != 1 || s.Servers[0].State != upstream.Untrusted {
		t.Fatalf("%s %+v", names(s), s.Servers)
	}
	if _, err := os.Stat(filepath.Join(user, "trust.json")); err == nil {
		t.Error("something was decided")
	}
	if err := w.Approve("w", "another hash", true); err == nil {
		t.Error("approved what was not shown")
	}
	if err := w.Approve("nope", pending[0].ApprovalHash(), true); err == nil {
		t.Error("approved what is not there")
	}
	if err := w.Approve("w", pending[0].ApprovalHash(), true); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "approved", func(s *Snapshot) bool { return names(s) == "mcp__w__drop mcp__w__get" })
	if len(w.Pending()) != 0 {
		t.Error("still pending")
	}

	def.Env = map[string]string{"EXTRA": "1"}
	define(def)
	w.Reconfigure(nil, nil, nil)
	s := w.wait(t, "changed", func(s *Snapshot) bool { return names(s) == "" })
	if s.Servers[0].State != upstream.Untrusted || len(w.Pending()) != 1 {
		t.Errorf("%+v", s.Servers)
	}
	if err := w.Approve("w", w.Pending()[0].ApprovalHash(), false); err != nil {
		t.Fatal(err)
	}
	if s := w.Snapshot(); !s.Servers[0].Refused {
		t.Errorf("the server is not shown as refused: %+v", s.Servers[0])
	}
	if len(w.Pending()) != 0 || names(w.Snapshot()) != "" {
		t.Error("refused, and asked again or started")
	}
}

// MCP-2, POOL-1: the list of a definition narrows the pool of its server alone, and servers
// say how many tools it leaves out and where the list is.
func TestMCP2ToolListsNarrowThePool(t *testing.T) {
	home := t.TempDir()
	server := mcptest.Write(t, twoTools)
	d := server.Config(t, "x")
	file := filepath.Join(home, ".codex", "config.toml")
	define := func(lists string) {
		t.Helper()
		args, err := json.Marshal(d.Args)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("[mcp_servers.narrow]\ncommand = %q\nargs = %s\n%s\n[mcp_servers.wide]\ncommand = %q\nargs = %s\n", d.Command, args, lists, d.Command, args)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	define(`disabled_tools = ["drop"]`)
	w := open(t, Options{Sources: config.Sources{Home: home, System: "linux", LookupEnv: func(string) (string, bool) { return "", false }}})
	s := w.wait(t, "connected", func(s *Snapshot) bool { return names(s) == "mcp__narrow__get mcp__wide__drop mcp__wide__get" })
	if notes := s.Servers[0].LeftOut; len(notes) != 1 || !strings.Contains(notes[0], "1 of its tools") || !strings.Contains(notes[0], file) || !strings.Contains(notes[0], ": drop") {
		t.Errorf("notes: %q", notes)
	}
	if len(s.Servers[1].LeftOut) != 0 || w.Snapshot().Catalog != s.Catalog {
		t.Errorf("notes of the other: %q", s.Servers[1].LeftOut)
	}
	define(`enabled_tools = ["drop"]`)
	w.Reconfigure(nil, nil, nil)
	w.wait(t, "changed", func(s *Snapshot) bool { return names(s) == "mcp__narrow__drop mcp__wide__drop mcp__wide__get" })
}

// TRUST-1: one answer for the whole workspace; one server of it approved after all runs.
func TestTrust1RefuseAll(t *testing.T) {
	folder, user := t.TempDir(), t.TempDir()
	server := mcptest.Write(t, twoTools)
	file := filepath.Join(folder, ".codemode", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	define := func(names ...string) {
		t.Helper()
		var all []config.Server
		for _, name := range names {
			all = append(all, server.Config(t, name))
		}
		if err := os.WriteFile(file, []byte(servers(t, all...)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	define("v", "w")
	w := open(t, Options{Sources: config.Sources{Folders: []string{folder}, UserDir: user}})
	hash := w.Pending()[0].ApprovalHash()
	if err := w.RefuseAll(); err != nil {
		t.Fatal(err)
	}
	define("v", "w", "x")
	w.Reconfigure(nil, nil, nil)
	if s := w.Snapshot(); len(w.Pending()) != 0 || len(s.Servers) != 3 || !s.Servers[0].Refused || !s.Servers[2].Refused {
		t.Errorf("%v %+v", w.Pending(), s.Servers)
	}
	if err := w.Approve("v", hash, true); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "approved", func(s *Snapshot) bool { return names(s) == "mcp__v__drop mcp__v__get" })
	if len(w.Pending()) != 0 {
		t.Errorf("pending: %v", w.Pending())
	}
}

// POOL-1, PERM-3: exclusions and denials take a tool out of the pool at once, by
// whatever way the rule came; the catalog is the same value as long as the pool
// is the same.
func TestPool1Denials(t *testing.T) {
	user := t.TempDir()
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{UserDir: user, Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	first := w.Snapshot()
	if names(first) != "mcp__a__drop mcp__a__get" {
		t.Fatalf("%s", names(first))
	}
	if err := w.Rules().Set(permission.Session, permission.Allow, "mcp__a__get"); err != nil {
		t.Fatal(err)
	}
	if s := w.Snapshot(); s.Catalog != first.Catalog || s.Rules == first.Rules {
		t.Error("an allow rule made another catalog, or none of its own")
	}
	if err := w.Rules().Set(permission.Session, permission.Deny, "mcp__a__drop"); err != nil {
		t.Fatal(err)
	}
	if got := names(w.Snapshot()); got != "mcp__a__get" {
		t.Errorf("after the denial: %s", got)
	}
	r := w.run(t, `return Object.keys(tools).filter(n => n.startsWith("mcp__"))`, nil)
	if string(r.Value) != `["mcp__a__get"]` {
		t.Errorf("a script sees %s", r.Value)
	}
	// By another process, or an editor: the next look sees it.
	if err := os.WriteFile(filepath.Join(user, "permissions.json"), []byte(`{"permissions":{"deny":["mcp__a__*"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(w.Snapshot()); got != "" {
		t.Errorf("after the file changed: %s", got)
	}
	if err := os.Remove(filepath.Join(user, "permissions.json")); err != nil {
		t.Fatal(err)
	}
	w.Reconfigure(jsontext.Value(strings.TrimSuffix(servers(t, server.Config(t, "a")), "}")+`,"exclude":["mcp__a__g*"]}`), nil, nil)
	if got := names(w.Snapshot()); got != "" { // drop is denied, get excluded
		t.Errorf("after the exclusion: %s", got)
	}
}

// A server's tools/list_changed, its end and its new start are told and change
// the pool.
func TestLive(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	server.Rewrite(t, `{"tools": [{"name": "new", "inputSchema": {"type": "object"}}]}`)
	w.wait(t, "list_changed", func(s *Snapshot) bool { return names(s) == "mcp__a__new" })
	w.Reconfigure(jsontext.Value(`{}`), nil, nil)
	w.wait(t, "removed", func(s *Snapshot) bool { return len(s.Servers) == 0 && names(s) == "" })
	if err := w.Restart("a"); err == nil {
		t.Error("restarted what is gone")
	}
}

// CLI-7: recordings make the pool, and no server is started.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.json": `{"server":"rec","tools":[{"name":"x","inputSchema":{"type":"object"}}],"instructions":"Do."}`,
		"b.json": `{"tools":[{"name":"y"}]}`,
		"c.json": `nope`,
		"d.txt":  `not read`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{
		DemoWhenEmpty: true, Recordings: []string{dir, filepath.Join(dir, "missing")},
		Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))},
	})
	s := w.Snapshot()
	if names(s) != "mcp__b__y mcp__rec__x" || len(s.Servers) != 0 || s.UsesDemo {
		t.Errorf("%s %+v", names(s), s.Servers)
	}
	bad := 0
	for _, f := range s.Config.Findings {
		if f.Code == "bad-recording" {
			bad++
		}
	}
	if bad != 2 {
		t.Errorf("findings: %+v", s.Config.Findings)
	}
}

// askerFunc is a person.
type askerFunc func(context.Context, exec.Question) (exec.Answer, error)

func (f askerFunc) Ask(ctx context.Context, q exec.Question) (exec.Answer, error) { return f(ctx, q) }

// The whole path: a script in a real sandbox, a real server, a person who allows
// one tool always and denies another (EXEC-2, EXEC-5, PERM-3, PERM-4).
func TestWholePath(t *testing.T) {
	user := t.TempDir()
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{UserDir: user, Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	person := askerFunc(func(_ context.Context, q exec.Question) (exec.Answer, error) {
		if q.Tool == "mcp__a__get" {
			if q.Range == nil || q.Range.Start.Line != 1 {
				t.Errorf("asked at %+v", q.Range)
			}
			return exec.Answer{Decision: "allow", Scope: "user"}, nil
		}
		return exec.Answer{Decision: "deny", Reason: "not today"}, nil
	})
	r := w.run(t, `
const first = await tools.mcp__a__get({ z: 1, a: "é" });
const all = await Promise.all([tools.mcp__a__get({ n: 1 }), tools.mcp__a__get({ n: 2 })]);
let denied = "";
try { await tools.mcp__a__drop({}) } catch (e) { denied = e.message }
console.log("hello");
return { first, count: all.length, denied };`, person)
	if r.Status != exec.Completed || !strings.Contains(string(r.Value), `"first":{"arguments":{"z":1,"a":"é"}}`) ||
		!strings.Contains(string(r.Value), `"count":2`) || !strings.Contains(string(r.Value), "not today") {
		t.Errorf("%s\n%s", r.Value, r.Text)
	}
	if r.Summary != "4 tool calls\n... mcp__a__get\nmcp__a__drop" {
		t.Errorf("%q", r.Summary)
	}
	text, _ := os.ReadFile(filepath.Join(user, "permissions.json"))
	if !strings.Contains(string(text), `"mcp__a__get"`) {
		t.Errorf("not stored: %s", text)
	}
	// Uncaught, at the author's place (EXEC-7, EXEC-11).
	r = w.run(t, "const x: number = 1;\nawait tools.mcp__a__drop({ x });", person)
	if r.Status != exec.Denied || r.Error.Range == nil || r.Error.Range.Start.Line != 1 || r.Error.ToolCall == nil {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	// EXEC-6, in a real sandbox.
	r = w.run(t, `await tools.mcp__a__gett({})`, person)
	if r.Status != exec.CodeError || !strings.Contains(r.Text, "Did you mean mcp__a__get") || len(r.Calls) != 0 {
		t.Errorf("%s", r.Text)
	}
}

// tools["$codemode"] in a real sandbox, over two runs of a session.
func TestReservedNamespace(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	r := w.run(t, `
const c = tools["$codemode"];
await c.store({ key: "k", value: { n: 1 } });
await c.text({ value: "shown" });
let range = "";
try { await c.store({ key: "big", value: "x".repeat(200000) }) } catch (e) { range = e.name }
const found = await c.search({ query: "drop", limit: 1 });
const d = await c.describe({ name: found[0].name });
return [await c.load({ key: "k" }), range, found.length, d.server, (await c.list()).length];`, nil)
	if string(r.Value) != `[{"n":1},"RangeError",1,"a",2]` || !strings.Contains(r.Text, "\nshown\n") {
		t.Fatalf("%s", r.Text)
	}
	r = w.run(t, `return await tools["$codemode"].load({ key: "k" })`, nil)
	if string(r.Value) != `{"n":1}` {
		t.Errorf("%s", r.Text)
	}
}

// BUD-11: closing ends what runs, and waits for it.
func TestCloseEndsRuns(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	asked := make(chan struct{})
	done := make(chan *exec.Result, 1)
	go func() {
		done <- w.run(t, `await tools.mcp__a__get({})`, askerFunc(func(ctx context.Context, _ exec.Question) (exec.Answer, error) {
			close(asked)
			<-ctx.Done()
			return exec.Answer{}, ctx.Err()
		}))
	}()
	<-asked
	w.Close()
	if r := <-done; r.Status != exec.Cancelled {
		t.Errorf("%s", r.Text)
	}
	if r := w.run(t, `return 1`, nil); r.Status != exec.Cancelled {
		t.Errorf("after Close: %s", r.Text)
	}
}

// The three hangs and a bomb end, as text (BUD-1…5).
func TestBudgets(t *testing.T) {
	w := open(t, Options{})
	for _, c := range []struct {
		name, code string
		status     exec.Status
		errorCode  string
	}{
		{"loop", `for (;;) {}`, exec.Timeout, exec.CodeTimeout},
		{"loop after await", `await null; for (;;) {}`, exec.Timeout, exec.CodeTimeout},
		{"never settles", `await new Promise(() => {})`, exec.CodeError, exec.CodeStalled},
		{"memory", `const a = []; for (;;) a.push(new ArrayBuffer(1 << 24))`, exec.BudgetExceeded, exec.CodeMemory},
		{"syntax", `const = 1`, exec.CodeError, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			timeout := 1000
			if c.name == "memory" {
				timeout = 60_000
			}
			r := w.Runner().Run(t.Context(), exec.Request{Code: c.code, Language: script.TypeScript, TimeoutMs: timeout})
			if r.Status != c.status || c.errorCode != "" && r.Error.Code != c.errorCode {
				t.Errorf("%s %+v\n%s", r.Status, r.Error, r.Text)
			}
		})
	}
}

// GATE-5: a script that is approved by another process, changed, or taken away is noticed.
func TestGate5ScriptsFollowed(t *testing.T) {
	folder, user := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, ".codemode", "scripts", "ours.exec.ts")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, Options{Sources: config.Sources{Folders: []string{folder}, UserDir: user}})
	write("export default (input: { a: string }) => input.a")
	w.wait(t, "found", func(s *Snapshot) bool { return len(s.UndecidedScripts) == 1 && len(s.Scripts) == 0 })
	trust, err := config.OpenTrust(user)
	if err != nil {
		t.Fatal(err)
	}
	if err := trust.DecideScript(w.Snapshot().UndecidedScripts[0], true); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "approved", func(s *Snapshot) bool { return len(s.Scripts) == 1 && len(s.UndecidedScripts) == 0 })
	if s, ok := w.Snapshot().Script("script__ours"); !ok || s.File != file {
		t.Errorf("%v %+v", ok, s)
	}
	write("export default (input: { a: string }) => input.a + input.a")
	w.wait(t, "changed", func(s *Snapshot) bool { return len(s.Scripts) == 0 && len(s.UndecidedScripts) == 1 })
	if err := w.ApproveScript(w.Snapshot().UndecidedScripts[0].Hash(), true); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "approved again", func(s *Snapshot) bool { return len(s.Scripts) == 1 })
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "gone", func(s *Snapshot) bool { return len(s.Scripts)+len(s.UndecidedScripts) == 0 })
}

// A schema that MCP takes has its type at the root.
func TestGate5ObjectSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object"}`: `{"type":"object"}`,
		`{"type":"string"}`: ``,
		``:                  ``,
		`{}`:                ``,
		`{"anyOf":[{"type":"object"},{"type":"object"}]}`:         `{"type":"object","anyOf":[{"type":"object"},{"type":"object"}]}`,
		`{"anyOf":[{"type":"object"},{"type":"null"}]}`:           ``,
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`:    `{"type":"object","$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`: ``,
	} {
		if got := string(objectSchema(jsontext.Value(schema))); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}
