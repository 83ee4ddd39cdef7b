package lsp

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"codemode-ls/exec"

	"go.lsp.dev/jsonrpc2"
)

const openA = `{"textDocument":{"uri":"file:///a.exec.ts","languageId":"codemode","version":0,"text":"0"}}`

func change(version int, text string) string {
	return fmt.Sprintf(`{"textDocument":{"uri":"file:///a.exec.ts","version":%d},"contentChanges":[{"text":%q}]}`, version, text)
}

// LSP-3, LSP-4: edits apply in order, and a query works on the text as it was
// when it was sent, however many edits follow.
func TestOrder(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{}`)
	c.notify("textDocument/didOpen", openA)
	const n = 300
	var answers []*pendingAnswer
	for i := range n {
		c.notify("textDocument/didChange", change(i+1, strconv.Itoa(i+1)))
		answers = append(answers, c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"}}`))
	}
	for i, a := range answers {
		if got := a.ok(); !strings.Contains(got, fmt.Sprintf(`"text":"%d"`, i+1)) {
			t.Fatalf("run %d saw another text: %s", i+1, got)
		}
	}
}

// LSP-3: what a client may get wrong does not end its session.
func TestSurvives(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{}`)
	c.notify("textDocument/didOpen", openA)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"$/fooBar","params":{}}`,
		`{"jsonrpc":"2.0","method":"$/fooBar"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///b.ts"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":[1]}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///no.ts","version":1},"contentChanges":[]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///no.ts"}}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":null}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration"}`,
		`{"jsonrpc":"2.0","method":"initialized"}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.5}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3000000000}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":null}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest"}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":7}`,
		`{"jsonrpc":"2.0","id":4000,"result":null}`,
		`{"jsonrpc":"2.0","id":null,"result":null}`,
	} {
		t.Run(body, func(t *testing.T) {
			c.t = t
			c.send(body)
			c.alive()
		})
	}
}

// LSP-3: messages that are none are answered, and the session goes on.
func TestMalformed(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{}`)
	for _, test := range []struct {
		frame string
		code  int
		id    string
	}{
		{"Content-Length: 5\r\n\r\nhello", -32700, "null"},
		{"Content-Length: 0\r\n\r\n", -32700, "null"},
		{frame(`{"jsonrpc":"2.0","id":9,"method":`), -32700, "null"},
		{frame(`[{"jsonrpc":"2.0","id":9,"method":"x"}]`), -32600, "null"},
		{frame(`7`), -32600, "null"},
		{frame(`{"id":91,"method":"x"}`), -32600, "91"},
		{frame(`{"jsonrpc":"1.0","id":"s","method":"x"}`), -32600, `"s"`},
		{frame(`{"jsonrpc":"2.0","id":1.5,"method":"x"}`), -32600, "null"},
		{frame(`{"jsonrpc":"2.0","id":{},"method":"x"}`), -32600, "null"},
		{frame(`{"jsonrpc":"2.0","id":null,"method":"x"}`), -32600, "null"},
		{frame(`{"jsonrpc":"2.0","id":92,"method":7}`), -32600, "92"},
		{frame(`{"jsonrpc":"2.0","id":93,"method":"x","params":7}`), -32602, "93"},
		{frame(`{"jsonrpc":"2.0","id":94}`), -32600, "94"},
		{"Content-Length: nine\r\n\r\n" + "{}\r\n" + frame(`{"jsonrpc":"2.0","id":95}`), -32600, "95"},
		{"garbage\r\nmore garbage\r\n\r\n" + frame(`{"jsonrpc":"2.0","id":96}`), -32600, "96"},
		// Announced too short: what is left over is skipped.
		{"Content-Length: 3\r\n\r\n" + `{"jsonrpc":"2.0"}` + frame(`{"jsonrpc":"2.0","id":97}`), -32600, "97"},
	} {
		t.Run(test.frame, func(t *testing.T) {
			c.t = t
			c.raw(test.frame)
			m := c.await("a refusal", func(m message) bool {
				return m.Method == "" && m.Error != nil && m.Error.Code == test.code && (string(m.ID) == test.id || m.ID == nil && test.id == "null")
			})
			if m.Error.Message == "" {
				t.Error("a refusal without words")
			}
			c.alive()
		})
	}
}

func frame(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(body), body)
}

// Text that is not Unicode does not put documents out of step.
func TestLoneSurrogates(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, echo), `{}`)
	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.exec.ts","languageId":"codemode","version":0,"text":"a\ud800b\\ud800\udc00\ud83d\ude00!"}}`)
	c.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///a.exec.ts","version":1},"contentChanges":[{"range":{"start":{"line":0,"character":12},"end":{"line":0,"character":13}},"text":"?"}]}`)
	got := c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"}}`).ok()
	if want := `"text":"a` + "\uFFFD" + `b\\ud800` + "\uFFFD\U0001F600" + `?"`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// LSP-3: the states of a session and their errors; missing and null params.
func TestLifecycle(t *testing.T) {
	c := connect(t, newFakeWorkspace(t, echo))
	c.call("textDocument/hover", `{}`).fails(-32002)
	c.call("nope", `{}`).fails(-32002)
	c.call("shutdown", `null`).fails(-32002)
	c.notify("textDocument/didOpen", openA) // dropped
	c.call("initialize", `{"capabilities":{}}`).ok()
	c.call("initialize", `{"capabilities":{}}`).fails(-32600)
	c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"}}`).fails(-32602)
	c.call("nope", `{}`).fails(-32601)
	c.notify("initialized", `{}`)
	if got := c.call("codemode/servers", `null`).ok(); got != "[]" {
		t.Errorf("servers: %s", got)
	}
	c.send(`{"jsonrpc":"2.0","id":"bare","method":"codemode/runs"}`)
	if m := c.await("an answer", func(m message) bool { return string(m.ID) == `"bare"` }); string(m.Result) != "[]" {
		t.Errorf("runs without params: %+v", m)
	}
	if got := c.call("shutdown", `null`).ok(); got != "null" {
		t.Errorf("shutdown: %s", got)
	}
	c.call("codemode/servers", `null`).fails(-32600)
	c.notify("exit", `null`)
	if code := c.exitCode(); code != 0 {
		t.Errorf("exit code %d after shutdown", code)
	}
}

// LSP-3: exit without shutdown, and a client that is gone.
func TestExitCodes(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{}`)
	<-w.open
	c.notify("exit", `null`)
	if code := c.exitCode(); code != 1 {
		t.Errorf("exit code %d without shutdown", code)
	}
	if !w.closed {
		t.Error("the workspace was not closed")
	}
	c = initialized(t, newFakeWorkspace(t, echo), `{}`)
	c.conn.Close()
	if code := c.exitCode(); code != 1 {
		t.Errorf("exit code %d after hanging up", code)
	}
}

// Every request refuses before initialize, whatever its params.
func TestUninitialized(t *testing.T) {
	c := connect(t, newFakeWorkspace(t, echo))
	for method := range endpoints() {
		if method == "initialize" || method == "exit" {
			continue
		}
		c.call(method, `{}`).fails(-32002)
	}
}

// LSP-3: cancellation with ids of any form is answered with RequestCancelled.
func TestCancel(t *testing.T) {
	started := make(chan struct{}, 1)
	c := initialized(t, newFakeWorkspace(t, func(ctx context.Context, q exec.Request) *exec.Result {
		started <- struct{}{}
		<-ctx.Done()
		return &exec.Result{RunID: "r", Status: exec.Cancelled}
	}), `{}`)
	for _, id := range []string{`7000`, `"abc"`, `3000000000`, `-3`, `9007199254740993`, `"ü\n"`} {
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"codemode/exec","params":{"code":"x"}}`)
		<-started
		c.notify("$/cancelRequest", `{"id":`+id+`}`)
		want, _ := readID([]byte(id))
		m := c.await("an answer", func(m message) bool { got, _ := readID(m.ID); return m.Method == "" && got == want })
		if m.Error == nil || m.Error.Code != -32800 {
			t.Errorf("cancelling %s: %+v", id, m)
		}
	}
	c.alive()
}

// LSP-3: a panic is one failed request.
func TestPanic(t *testing.T) {
	c := initialized(t, newFakeWorkspace(t, func(context.Context, exec.Request) *exec.Result { panic("boom") }), `{}`)
	m := c.call("codemode/exec", `{"code":"x"}`).fails(-32603)
	if strings.Contains(m.Error.Message, "boom") {
		t.Errorf("the panic's value reached the client: %s", m.Error.Message)
	}
	c.alive()
}

// LSP-3: a client that hangs up ends what runs for it, at once.
func TestHangup(t *testing.T) {
	started, cause := make(chan struct{}), make(chan error, 1)
	c := initialized(t, newFakeWorkspace(t, func(ctx context.Context, _ exec.Request) *exec.Result {
		close(started)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return &exec.Result{}
	}), `{}`)
	c.call("codemode/exec", `{"code":"x"}`)
	<-started
	c.conn.Close()
	select {
	case err := <-cause:
		if !strings.Contains(err.Error(), "hung up") {
			t.Errorf("cause: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the run goes on")
	}
}

// LSP-3: nothing waits for a run, and shutdown is answered while one goes on.
func TestRunBlocksNothing(t *testing.T) {
	started := make(chan struct{})
	c := initialized(t, newFakeWorkspace(t, func(ctx context.Context, _ exec.Request) *exec.Result {
		close(started)
		<-ctx.Done()
		return &exec.Result{}
	}), `{}`)
	c.notify("textDocument/didOpen", openA)
	c.call("codemode/exec", `{"code":"x"}`)
	<-started
	c.call("textDocument/hover", `{"textDocument":{"uri":"file:///a.exec.ts"},"position":{"line":0,"character":0}}`).ok()
	c.call("shutdown", `null`).ok()
	c.notify("exit", `null`)
	if code := c.exitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// LSP-4: an edit ends the requests whose answers it makes useless, and no other.
func TestContentModified(t *testing.T) {
	s := newServer(Options{}, func(error) {})
	s.ctx = t.Context()
	request := func(id int64, uri string) context.Context {
		m := &incoming{}
		ctx, done := s.track(m, jsonrpc2.NewNumberID(id))
		t.Cleanup(done)
		s.expireOnEdit(m, uri)
		return ctx
	}
	a := request(1, "file:///a.exec.ts")
	b := request(2, "")
	other := request(3, "file:///b.exec.ts")
	s.expire("file:///a.exec.ts")
	if _, err := onWire(a, "answer", nil); err == nil || !strings.Contains(err.Error(), "modified") {
		t.Errorf("the stale answer was sent: %v", err)
	}
	for _, ctx := range []context.Context{b, other} {
		if result, err := onWire(ctx, "answer", nil); err != nil || result != "answer" {
			t.Errorf("got %v, %v", result, err)
		}
	}
}

// LSP-3: the death of the process that the client names ends the session.
func TestParentDies(t *testing.T) {
	parent := osexec.Command("sleep", "1000")
	if err := parent.Start(); err != nil {
		t.Skip(err)
	}
	c := connect(t, newFakeWorkspace(t, echo))
	c.call("initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{}}`, parent.Process.Pid)).ok()
	parent.Process.Kill()
	parent.Wait()
	if code := c.exitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// A process number that means nothing here is no reason to end.
func TestParentElsewhere(t *testing.T) {
	gone := osexec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Skip(err)
	}
	c := connect(t, newFakeWorkspace(t, echo))
	c.call("initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{}}`, gone.Process.Pid)).ok()
	c.alive()
}

// LSP-1: initialize answers without waiting for anything.
func TestInitializeIsQuick(t *testing.T) {
	var d time.Duration
	for range 5 { // a busy machine is slow by itself, but not each time
		c := connect(t, newFakeWorkspace(t, echo))
		begin := time.Now()
		c.call("initialize", `{"capabilities":{}}`).ok()
		if d = time.Since(begin); d <= time.Second { // 100 ms is what is measured in bench
			return
		}
	}
	t.Errorf("initialize took %v", d)
}

// A client that writes without reading is not stopped by what it has to read.
func TestClientThatDoesNotRead(t *testing.T) {
	release := make(chan struct{})
	w := newOutbox(writerFunc(func(p []byte) (int, error) {
		<-release
		return len(p), nil
	}), func(error) {})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			w.send(make([]byte, 1000))
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Error("sending waits for the client")
	}
	close(release)
	w.finish(patience)
	if _, err := w.send(nil); err == nil {
		t.Error("sent after the end")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
