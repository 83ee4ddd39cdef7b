package lsp

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"codemode-ls/exec"
	"codemode-ls/internal/redact"
	"codemode-ls/internal/telemetry"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// PAR-1: two windows on one socket: each has its own documents and prompts, and one that
// dies in mid-prompt ends its own run alone.
func TestPar1TwoWindows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of sockets")
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan string, 4)
	asks := func(ctx context.Context, q exec.Request) *exec.Result {
		answer, err := q.Asker.Ask(ctx, exec.Question{Tool: "mcp__x__" + q.Code, Server: "x", Arguments: jsontext.Value(`{}`)})
		status := string(answer.Decision)
		if err != nil {
			status = "gone"
		}
		ended <- q.Code + " " + status
		return &exec.Result{Status: exec.Completed, Summary: status}
	}
	var mu sync.Mutex
	var spaces []*fakeWorkspace
	o := Options{Version: "test", CacheDir: t.TempDir(), Workspace: workspace.Options{Redact: new(redact.Redactor)}}
	o.Session = func(w *workspace.Options) { w.Tracer = new(telemetry.Tracer) }
	o.openForTest = func(_ context.Context, o workspace.Options) opened {
		w := newFakeWorkspace(t, asks)
		w.opened(o)
		mu.Lock()
		defer mu.Unlock()
		spaces = append(spaces, w)
		return w
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- ServeAll(ctx, l, o) }()
	window := func() *testClient {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		c := &testClient{t: t, conn: conn}
		c.cond = sync.NewCond(&c.mu)
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.read()
		}()
		t.Cleanup(func() {
			conn.Close()
			<-done
		})
		c.answerWith(func(m message) string {
			if m.Method == "window/showMessageRequest" {
				return "" // a person thinks
			}
			return "null"
		})
		c.call("initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`).ok()
		c.notify("initialized", `{}`)
		return c
	}
	one, two := window(), window()

	// Documents: the same URI is another text in each.
	const u = "file:///same.exec.ts"
	one.open(u, "tools.")
	two.open(u, "// nothing")
	if got := one.call("textDocument/codeLens", `{"textDocument":{"uri":"`+u+`"}}`).ok(); !strings.Contains(got, "Run") {
		t.Error(got)
	}
	two.notify("textDocument/didClose", `{"textDocument":{"uri":"`+u+`"}}`)
	two.call("textDocument/codeLens", `{"textDocument":{"uri":"`+u+`"}}`).fails(-32602)
	one.call("textDocument/codeLens", `{"textDocument":{"uri":"`+u+`"}}`).ok()

	// Prompts: each is asked about its own run alone.
	one.call("codemode/exec", `{"code":"first"}`)
	run := two.call("codemode/exec", `{"code":"second"}`)
	if m := one.notification("window/showMessageRequest"); !strings.Contains(string(m.Params), "mcp__x__first") {
		t.Errorf("%s", m.Params)
	}
	question := two.notification("window/showMessageRequest")
	if !strings.Contains(string(question.Params), "mcp__x__second") {
		t.Errorf("%s", question.Params)
	}

	// One dies in mid-prompt; the other goes on and answers.
	one.conn.Close()
	if got := <-ended; got != "first gone" {
		t.Errorf("%q", got)
	}
	two.alive()
	two.send(`{"jsonrpc":"2.0","id":` + string(question.ID) + `,"result":{"title":"Allow once"}}`)
	if got := <-ended; got != "second allow" {
		t.Errorf("%q", got)
	}
	run.ok()

	// A third window may come; the end of all ends everything.
	window().alive()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	// What knows a session's secrets, and what is closed with it, is its own.
	known, tracers := map[*redact.Redactor]bool{}, map[*telemetry.Tracer]bool{}
	for _, w := range spaces {
		known[w.options.Redact], tracers[w.options.Tracer] = true, true
	}
	if len(known) != len(spaces) || len(tracers) != len(spaces) || known[nil] || known[o.Workspace.Redact] {
		t.Errorf("%d windows, %d redactors, %d tracers", len(spaces), len(known), len(tracers))
	}
	for i, w := range spaces {
		w.mu.Lock()
		if !w.closed {
			t.Errorf("workspace %d is not closed", i)
		}
		w.mu.Unlock()
	}
	if _, err := bufio.NewReader(two.conn).ReadByte(); err != io.EOF && err == nil {
		t.Error("still connected")
	}
}
