package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/mcptest"
	"codemode-ls/lsp"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// An editor is a client of the language server that has a folder open and answers every
// question with the same decision.
type editor struct {
	t        *testing.T
	conn     net.Conn
	ended    chan struct{}
	decision string

	mu       sync.Mutex
	received []wire
}

func openEditor(t *testing.T, folder, configuration, decision string) *editor {
	t.Helper()
	here, there := net.Pipe()
	userDir := t.TempDir() // what an editor's settings name would first have to be approved
	if err := os.WriteFile(filepath.Join(userDir, config.UserFile), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, conn: here, ended: make(chan struct{}), decision: decision}
	served := make(chan struct{})
	go func() {
		defer close(served)
		lsp.Serve(context.Background(), there, lsp.Options{
			Workspace: workspace.Options{Sources: config.Sources{UserDir: userDir}}, Version: "test", CacheDir: t.TempDir(), Agents: true,
		})
	}()
	go e.read()
	t.Cleanup(func() {
		here.Close()
		<-served
		<-e.ended
	})
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"processId":null,"rootUri":null,"workspaceFolders":[{"uri":"file://%s","name":"w"}],"capabilities":{"experimental":{"codemode":{"permission":true,"events":true}}}}}`, folder))
	e.until("hello")
	e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return e
}

func (e *editor) send(body string) {
	fmt.Fprintf(e.conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (e *editor) read() {
	defer close(e.ended)
	in := bufio.NewReader(e.conn)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(header.Get("Content-Length"))
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		m := wire{raw: string(body)}
		_ = json.Unmarshal(body, &m)
		e.mu.Lock()
		e.received = append(e.received, m)
		e.mu.Unlock()
		if m.Method == "" || len(m.ID) == 0 {
			continue
		}
		result := "null"
		if m.Method == "codemode/permission" {
			if e.decision == "" {
				continue // the person is away
			}
			result = e.decision
		}
		go e.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
	}
}

// until waits for a message with the text.
func (e *editor) until(text string) wire {
	e.t.Helper()
	deadline := time.After(long)
	for {
		e.mu.Lock()
		for _, m := range e.received {
			if strings.Contains(m.raw, text) {
				e.mu.Unlock()
				return m
			}
		}
		e.mu.Unlock()
		select {
		case <-deadline:
			e.t.Fatalf("the editor did not hear of %s", text)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// following is a gateway that follows the editors of a folder; what it opens by itself has
// no server.
func following(t *testing.T, folder string) (*fixture, *Follower) {
	t.Helper()
	follower := Follow(context.Background(), folder, func() *Local {
		return OpenLocal(context.Background(), workspace.Options{Sources: config.Sources{Folders: []string{folder}, UserDir: t.TempDir()}})
	}, 10*time.Millisecond)
	g := New(Options{Host: follower, Version: "test"})
	t.Cleanup(func() {
		g.Close()
		follower.Close()
	})
	return &fixture{Gateway: g, t: t}, follower
}

// joined waits until the follower has joined an editor, or has none.
func joined(t *testing.T, f *Follower, want bool) {
	t.Helper()
	for deadline := time.Now().Add(long); (f.Asks() != "") != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("joined: %v", !want)
		}
	}
}

// GATE-3: the editor's person is asked, with the agent's name, and sees the run; when the
// editor goes, what it ran ends, and the gateway stands alone; when one comes, it joins.
func TestGate3JoinsTheEditor(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	folder := t.TempDir()
	server := mcptest.Write(t, description)
	definition := server.Config(t, "a")
	encoded, err := json.Marshal(map[string]any{
		"mcpServers": map[string]any{"a": map[string]any{"command": definition.Command, "args": definition.Args, "env": definition.Env}},
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := string(jsontext.Value(encoded))

	g, follower := following(t, folder)
	a := g.connect("2025-11-25", `{"elicitation":{}}`)
	if names, _ := a.names(); len(names) != 0 { // DECL-2
		t.Errorf("alone: %v", names)
	}
	first := openEditor(t, folder, settings, `{"decision":"allow","scope":"session"}`)
	joined(t, follower, true)
	for {
		if names, text := a.names(); len(names) == 1 && strings.Contains(text, "tools.mcp__a__do(") {
			break
		}
	}
	r := a.exec(doIt)
	if r.IsError || !strings.Contains(r.text(), "now") {
		t.Fatalf("%+v", r)
	}
	if q := first.until(`"codemode/permission"`); !strings.Contains(q.raw, `"agent":"tester"`) || !strings.Contains(q.raw, "mcp__a__do") {
		t.Errorf("%s", q.raw)
	}
	if e := first.until(`"kind":"started"`); e.Method != "codemode/execEvent" || !strings.Contains(e.raw, `"agent":"tester"`) {
		t.Errorf("%s", e.raw)
	}
	for _, m := range a.seen {
		if m.Method == "elicitation/create" {
			t.Errorf("the agent was asked too: %s", m.raw)
		}
	}
	if r := a.exec(doIt); r.IsError {
		t.Errorf("the editor's grant does not count: %+v", r)
	}
	// The editor goes in the middle of a run.
	id := a.begin("tools/call", `{"name":"Exec","arguments":{"code":"await tools.mcp__a__do({}); await tools.mcp__a__hang({})"}}`)
	server.WaitForLog(t, `"hang"`)
	first.conn.Close()
	if r := a.result(a.answer(id)); !r.IsError || !strings.Contains(r.text(), "closed") && !strings.Contains(r.text(), "ancelled") {
		t.Errorf("%+v", r)
	}
	joined(t, follower, false)
	if r := a.exec("return 1"); r.IsError {
		t.Errorf("alone again: %+v", r)
	}
	second := openEditor(t, folder, settings, `{"decision":"deny"}`)
	joined(t, follower, true)
	for {
		if r := a.exec(doIt); strings.Contains(r.text(), "denied by the user") {
			break
		}
	}
	second.until(`"codemode/permission"`)
}

// GATE-3: what is not for agents is refused.
func TestGate3Reach(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	folder := t.TempDir()
	openEditor(t, folder, `{}`, "")
	var r *Remote
	for deadline := time.Now().Add(long); r == nil; {
		var err error
		if r, err = Join(folder + "/below/it"); err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	defer r.Close()
	for _, method := range []string{"codemode/setPermission", "codemode/approveServer", "codemode/restartServer", "codemode/permissions", "workspace/executeCommand", "shutdown", "codemode/run", "codemode/servers"} {
		var result any
		if err := r.ask(context.Background(), Caller{}, method, map[string]any{}, &result); err == nil || !strings.Contains(err.Error(), "not for agents") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// GATE-3: an editor that comes and goes in the middle of 200 runs of twenty agents: each run
// has its own result, or says that the editor has closed; nothing hangs, no call is made
// twice, and none is asked twice.
func TestGate3EditorComesAndGoes(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	folder := t.TempDir()
	server := mcptest.Write(t, description)
	definition := server.Config(t, "a")
	encoded, err := json.Marshal(map[string]any{
		"mcpServers": map[string]any{"a": map[string]any{"command": definition.Command, "args": definition.Args, "env": definition.Env}},
	})
	if err != nil {
		t.Fatal(err)
	}
	g, follower := following(t, folder)
	ended := make(chan struct{})
	var coming sync.WaitGroup
	var editors []*editor
	coming.Go(func() {
		for {
			e := openEditor(t, folder, string(encoded), `{"decision":"allow","scope":"once"}`)
			editors = append(editors, e)
			joined(t, follower, true)
			select {
			case <-ended:
				return
			case <-time.After(700 * time.Millisecond): // of runs
			}
			e.conn.Close()
			joined(t, follower, false)
		}
	})
	var mu sync.Mutex
	count := map[string]int{}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			a := g.connect("2025-11-25", "{}")
			for j := range 10 {
				mine := fmt.Sprintf("run-%d-%d.", i, j)
				r := a.exec(`const r = await tools.mcp__a__do({ what: ` + quoted(mine) + ` }); return r.arguments.what`)
				outcome := "other"
				switch text := r.text(); {
				case !r.IsError && strings.Contains(text, mine):
					outcome = "done"
				case strings.Contains(text, "editor that ran this has closed"), strings.Contains(text, "ancelled"):
					outcome = "closed"
				case strings.Contains(text, "unknown tool"), strings.Contains(text, "mcp__a__do"): // alone, there is no server
					outcome = "alone"
				}
				mu.Lock()
				if count[outcome]++; outcome == "other" {
					t.Errorf("%s %+v", mine, r)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	close(ended)
	coming.Wait()
	t.Logf("%v, %d editors", count, len(editors))
	if count["done"] == 0 || len(editors) < 3 {
		t.Error("the editors did not come and go in the middle of runs")
	}
	calls, questions := map[string]int{}, map[string]int{}
	note := func(seen map[string]int, line string) {
		if _, rest, ok := strings.Cut(line, `"what":"run-`); ok {
			seen[strings.SplitN(rest, ".", 2)[0]]++
		}
	}
	for _, line := range server.Log(t) {
		if strings.Contains(line, "tools/call") {
			note(calls, line)
		}
	}
	for _, e := range editors {
		e.mu.Lock()
		for _, m := range e.received {
			if m.Method == "codemode/permission" {
				note(questions, m.raw)
			}
		}
		e.mu.Unlock()
	}
	for what, seen := range map[string]map[string]int{"called": calls, "asked": questions} {
		if len(seen) == 0 {
			t.Errorf("nothing was %s", what)
		}
		for run, n := range seen {
			if n > 1 {
				t.Errorf("run %s was %s %d times", run, what, n)
			}
		}
	}
}
