package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/internal/mcptest"
	"codemode-ls/sandbox"
	"codemode-ls/sandbox/guest"
	"codemode-ls/script/esbuild"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 && os.Args[1] == sandbox.CompilerCommand {
		os.Exit(guest.CompilerMain(esbuild.Transform))
	}
	os.Exit(m.Run())
}

// long is how long a test waits for something that will happen.
const long = time.Minute

// description is the server of most tests. Its tool "do" has effects, so that it is
// asked for.
const description = `
-- tools/read.json --
{"name": "read", "description": "Read a value", "inputSchema": {"type": "object", "properties": {"n": {"type": "number"}}}, "annotations": {"readOnlyHint": true}}
-- tools/do.json --
{"name": "do", "description": "Do a thing", "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}}}
-- tools/hang.json --
{"name": "hang", "description": "Never answer", "inputSchema": {"type": "object"}}
-- tools/draw.json --
{"name": "draw", "description": "Draw", "inputSchema": {"type": "object"}}
-- results/draw.json --
{"content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}]}
-- server.json --
{"calls": {"hang": {"hang": true}}}
`

// fixture is a gateway on a workspace with one server "a".
type fixture struct {
	*Gateway
	t      *testing.T
	server *mcptest.Server
}

func open(t *testing.T, change func(*Options, *workspace.Options)) *fixture {
	t.Helper()
	server := mcptest.Write(t, description)
	definition := server.Config(t, "a")
	encoded, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"a": map[string]any{"command": definition.Command, "args": definition.Args, "env": definition.Env}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := workspace.Options{
		Sources: config.Sources{Editor: jsontext.Value(encoded), Folders: []string{dir}, UserDir: t.TempDir()},
		Allow:   []string{"mcp__a__read", "mcp__a__hang", "mcp__a__draw"},
		Log:     slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	o := Options{Version: "test"}
	if change != nil {
		change(&o, &w)
	}
	host := OpenLocal(context.Background(), w)
	o.Host = host
	g := New(o)
	t.Cleanup(func() {
		g.Close()
		host.Close()
	})
	return &fixture{Gateway: g, t: t, server: server}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// An agent is a client that speaks to a gateway line by line.
type agent struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan wire
	seen  []wire // notifications and requests of the server, in order

	mu   sync.Mutex
	next int
}

// wire is any message.
type wire struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// toolResult is the result of tools/call.
type toolResult struct {
	ResultType    string                     `json:"resultType"`
	Content       []map[string]any           `json:"content"`
	Structured    map[string]any             `json:"structuredContent"`
	IsError       bool                       `json:"isError"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	RequestState  string                     `json:"requestState"`
}

func (r toolResult) text() string {
	var all []string
	for _, c := range r.Content {
		if text, ok := c["text"].(string); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// dial connects an agent that has said nothing yet.
func (f *fixture) dial() *agent {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	a := &agent{t: f.t, in: in, lines: make(chan wire, 10_000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = f.Serve(ctx, toServer, fromServer)
		fromServer.Close()
	}()
	go func() {
		defer close(a.lines)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			m := wire{raw: lines.Text()}
			_ = json.Unmarshal(lines.Bytes(), &m)
			a.lines <- m
		}
	}()
	f.t.Cleanup(func() {
		cancel()
		in.Close()
		out.Close()
		<-ended
	})
	return a
}

// connect is dial and initialize.
func (f *fixture) connect(version, capabilities string) *agent {
	f.t.Helper()
	a := f.dial()
	a.ask("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"tester","version":"1"}}`, version, capabilities))
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *agent) send(line string) {
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Error(err)
	}
}

// begin sends a request and gives its id.
func (a *agent) begin(method, params string) string {
	a.mu.Lock()
	a.next++
	id := fmt.Sprint(a.next)
	a.mu.Unlock()
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// receive is the next message.
func (a *agent) receive() wire {
	a.t.Helper()
	select {
	case m, ok := <-a.lines:
		if !ok {
			a.t.Fatal("the gateway has hung up")
		}
		return m
	case <-time.After(long):
		a.t.Fatal("nothing came from the gateway")
	}
	panic("unreachable")
}

// answer waits for the answer to a request; what comes before it is seen.
func (a *agent) answer(id string) wire {
	a.t.Helper()
	for {
		m := a.receive()
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		a.seen = append(a.seen, m)
	}
}

func (a *agent) ask(method, params string) wire {
	a.t.Helper()
	return a.answer(a.begin(method, params))
}

// until waits for a message of the server's own.
func (a *agent) until(method string) wire {
	a.t.Helper()
	for {
		m := a.receive()
		if m.Method == method {
			return m
		}
		a.seen = append(a.seen, m)
	}
}

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// exec runs a script.
func (a *agent) exec(code string) toolResult {
	a.t.Helper()
	return a.result(a.ask("tools/call", `{"name":"Exec","arguments":{"code":`+quoted(code)+`},"_meta":{"progressToken":"p"}}`))
}

func (a *agent) result(m wire) (r toolResult) {
	a.t.Helper()
	if m.Error != nil {
		a.t.Fatalf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		a.t.Fatalf("%v: %s", err, m.raw)
	}
	return r
}

// names are the tools of tools/list, and the description of the first.
func (a *agent) names() (names []string, first string) {
	a.t.Helper()
	var list struct {
		Tools []struct{ Name, Description string }
	}
	m := a.ask("tools/list", "{}")
	if err := json.Unmarshal(m.Result, &list); err != nil {
		a.t.Fatalf("%v: %s", err, m.raw)
	}
	for i, tool := range list.Tools {
		names = append(names, tool.Name)
		if i == 0 {
			first = tool.Description
		}
	}
	return names, first
}

// GATE-1, GATE-2: each version that has initialize gets Exec, the catalog in every
// place, progress with each call, and what its version has of results.
func TestGate1Versions(t *testing.T) {
	f := open(t, nil)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		a := f.dial()
		m := a.ask("initialize", `{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}`)
		var hello struct {
			ProtocolVersion, Instructions string
			ServerInfo                    struct{ Name string }
		}
		if err := json.Unmarshal(m.Result, &hello); err != nil {
			t.Fatal(err)
		}
		if hello.ProtocolVersion != version || hello.ServerInfo.Name != "codemode-ls" || !strings.Contains(hello.Instructions, "4 MCP tools on 1 server") {
			t.Errorf("%s: %s", version, m.raw)
		}
		if len(a.seen) > 0 {
			t.Errorf("%s: said before the session began: %v", version, a.seen)
		}
		a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		names, first := a.names()
		if fmt.Sprint(names) != "[Exec]" || !strings.Contains(first, "tools.mcp__a__read(") {
			t.Errorf("%s: %v\n%s", version, names, first)
		}
		if m := a.ask("resources/read", `{"uri":"codemode://catalog"}`); !strings.Contains(string(m.Result), "tools.mcp__a__read(") {
			t.Errorf("%s: %s", version, m.raw)
		}
		a.seen = nil
		r := a.exec(`const a = await tools.mcp__a__read({ n: 20 }); return a.arguments.n + 22`)
		if r.IsError || !strings.Contains(r.text(), "42") {
			t.Errorf("%s: %+v", version, r)
		}
		if has, want := r.Structured != nil, version >= "2025-06-18"; has != want {
			t.Errorf("%s: structured content: %v", version, r.Structured)
		} else if has && (r.Structured["status"] != "completed" || r.Structured["value"] != 42.0) {
			t.Errorf("%s: %v", version, r.Structured)
		}
		last, calls := 0.0, 0
		for _, m := range a.seen {
			var p struct {
				ProgressToken, Message string
				Progress               float64
			}
			_ = json.Unmarshal(m.Params, &p)
			if m.Method != "notifications/progress" || p.ProgressToken != "p" || p.Progress <= last {
				t.Errorf("%s: %s", version, m.raw)
			}
			last = p.Progress
			if strings.HasPrefix(p.Message, "mcp__a__read: completed") {
				calls++
			}
		}
		if calls != 1 {
			t.Errorf("%s: the call was reported %d times: %v", version, calls, a.seen)
		}
	}
}

// GATE-2: a script that fails is an error whose text a model can act on, and an image
// is one.
func TestGate2Results(t *testing.T) {
	a := open(t, nil).connect("2025-11-25", "{}")
	r := a.exec(`throw new Error("broken")`)
	if !r.IsError || !strings.Contains(r.text(), "broken") || r.Structured["status"] != "code_error" {
		t.Errorf("%+v", r)
	}
	r = a.exec(`await tools.mcp__a__draw({}); return 1`)
	var images int
	for _, c := range r.Content {
		if c["type"] == "image" && c["mimeType"] == "image/png" && c["data"] != "" {
			images++
		}
	}
	if images != 1 || strings.Contains(fmt.Sprint(r.Structured), "iVBORw0") {
		t.Errorf("%d images in %+v", images, r)
	}
	if r := a.result(a.ask("tools/call", `{"name":"Exec","arguments":{"script":"1"}}`)); !r.IsError || !strings.Contains(r.text(), `"code"`) {
		t.Errorf("%+v", r)
	}
}

// Claude Code and Codex show their model the structured content instead of the text.
func TestGate2InsteadOfText(t *testing.T) {
	f := open(t, nil)
	a := f.dial()
	a.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}`)
	if r := a.exec("return 1"); r.Structured != nil || !strings.Contains(r.text(), "1") {
		t.Errorf("%+v", r)
	}
}

// COL-1: in mode code a direct call may name Exec only, and the answer says what to do.
func TestCol1UnknownTool(t *testing.T) {
	f := open(t, nil)
	a := f.connect("2025-11-25", "{}")
	m := a.ask("tools/call", `{"name":"mcp__a__read","arguments":{}}`)
	if m.Error == nil || m.Error.Code != -32602 || !strings.Contains(m.Error.Message, "inside of scripts") {
		t.Errorf("%s", m.raw)
	}
	for _, line := range f.server.Log(t) {
		if strings.Contains(line, "tools/call") {
			t.Errorf("the server was called: %s", line)
		}
	}
}

// DECL-3, DECL-4: the modes.
func TestDecl4Modes(t *testing.T) {
	all := "mcp__a__do mcp__a__draw mcp__a__hang mcp__a__read"
	for mode, want := range map[catalog.Mode]string{catalog.NativeMode: all, catalog.BothModes: "Exec " + all} {
		a := open(t, func(o *Options, _ *workspace.Options) { o.Mode = mode }).connect("2025-11-25", "{}")
		names, _ := a.names()
		for _, name := range strings.Fields(want) {
			if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") {
				t.Errorf("%s: %v", mode, names)
			}
		}
		if len(names) != len(strings.Fields(want)) {
			t.Errorf("%s: %v", mode, names)
		}
		r := a.result(a.ask("tools/call", `{"name":"mcp__a__read","arguments":{"n":12345678901234567890}}`))
		if r.IsError || !strings.Contains(r.text(), "12345678901234567890") {
			t.Errorf("%s: %+v", mode, r)
		}
		if m := a.ask("tools/call", `{"name":"mcp__a__nothing","arguments":{}}`); m.Error == nil {
			t.Errorf("%s: %s", mode, m.raw)
		}
	}
}

// POOL-1, ANN-3: when the pool changes, an agent that listens is told to list again, a
// subscriber of the catalog to read it again, and the next result says it, once.
func TestGate1Changes(t *testing.T) {
	f := open(t, nil)
	a := f.connect("2025-11-25", "{}")
	a.names()
	a.ask("resources/subscribe", `{"uri":"codemode://catalog"}`)
	f.server.Rewrite(t, description+"-- tools/new.json --\n{\"name\": \"brand_new\", \"inputSchema\": {\"type\": \"object\"}}\n")
	changed, updated := false, false
	for !changed || !updated {
		switch m := a.receive(); m.Method {
		case "notifications/tools/list_changed":
			changed = true
		case "notifications/resources/updated":
			updated = true
		}
	}
	if r := a.exec("return 1"); !strings.Contains(r.text(), "brand_new") {
		t.Errorf("%+v", r)
	}
	if r := a.exec("return 1"); strings.Contains(r.text(), "brand_new") {
		t.Errorf("said twice: %+v", r)
	}
	if _, first := a.names(); !strings.Contains(first, "brand_new") {
		t.Error(first)
	}
}

// Runs that take longer than their agent waits are gone on with, by the session that
// began them alone.
func TestGate1Continue(t *testing.T) {
	f := open(t, func(o *Options, _ *workspace.Options) {
		o.patience = patience{silent: 200 * time.Millisecond, progress: time.Second, orphan: long, tick: 20 * time.Millisecond}
	})
	a := f.connect("2025-11-25", `{"elicitation":{}}`)
	id := a.begin("tools/call", `{"name":"Exec","arguments":{"code":"return (await tools.mcp__a__do({ what: 'x' })).arguments.what + 'yz'"},"_meta":{"progressToken":1}}`)
	ticks := 0
	var question, first wire // in whatever order they come
	for question.Method == "" || first.Result == nil {
		switch m := a.receive(); {
		case m.Method == "elicitation/create":
			question = m
		case string(m.ID) == id:
			first = m
		case m.Method == "notifications/progress" && strings.Contains(m.raw, "waiting for a person's permission to call mcp__a__do, asked here"):
			ticks++
		}
	}
	r := a.result(first)
	if r.IsError || !strings.Contains(r.text(), "It goes on by itself") {
		t.Fatalf("%+v", r)
	}
	if ticks < 3 { // agents that give up when they hear nothing hear something at each tick
		t.Errorf("%d notifications while a person was asked", ticks)
	}
	_, code, _ := strings.Cut(r.text(), "// @continue: ")
	code = "// @continue: " + strings.Fields(code)[0]
	if r := f.connect("2025-11-25", "{}").exec(code); !r.IsError {
		t.Errorf("another session has gone on with the run: %+v", r)
	}
	id = a.begin("tools/call", `{"name":"Exec","arguments":{"code":`+quoted(code)+`}}`)
	a.send(`{"jsonrpc":"2.0","id":` + string(question.ID) + `,"result":{"action":"accept","content":{"decision":"Allow once"}}}`)
	if r := a.result(a.answer(id)); r.IsError || !strings.Contains(r.text(), "xyz") {
		t.Errorf("%+v", r)
	}
	for _, m := range a.seen {
		if m.Method == "elicitation/create" {
			t.Errorf("asked again: %s", m.raw)
		}
	}
	if r := a.exec(code); !r.IsError {
		t.Errorf("collected twice: %+v", r)
	}
}

// A cancellation ends the run and reaches the server of the call.
func TestGate1Cancel(t *testing.T) {
	f := open(t, nil)
	a := f.connect("2025-11-25", "{}")
	id := a.begin("tools/call", `{"name":"Exec","arguments":{"code":"await tools.mcp__a__hang({})"},"_meta":{"progressToken":1}}`)
	for m := a.until("notifications/progress"); !strings.Contains(m.raw, "hang: running"); m = a.until("notifications/progress") {
	}
	f.server.WaitForLog(t, `"name":"hang"`)
	a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	f.server.WaitForLog(t, "notifications/cancelled")
	a.ask("ping", "{}")
	for _, m := range a.seen {
		if string(m.ID) == id {
			t.Errorf("a cancelled request was answered: %s", m.raw)
		}
	}
}
