package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/exec/cassette"
	"codemode-ls/permission"
	"codemode-ls/upstream/oauth"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = time.Minute

// A testClient speaks frames with a server, so that tests see what is on the
// wire and can send what no library would.
type testClient struct {
	t    *testing.T
	conn net.Conn
	id   int
	exit chan int

	mu       sync.Mutex
	cond     *sync.Cond
	received []message
	ended    bool
	// answer answers the server's requests; the default is null.
	answer func(m message) (result string)
}

type message struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitzero"`
	Result jsontext.Value `json:"result,omitzero"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data,omitzero"`
	} `json:"error,omitzero"`
}

// connect starts a server with a fake workspace and the client's end of it.
func connect(t *testing.T, w *fakeWorkspace) *testClient {
	t.Helper()
	return connectWith(t, w, Options{})
}

// connectWith is connect with other options than a test needs most often.
func connectWith(t *testing.T, w *fakeWorkspace, o Options) *testClient {
	t.Helper()
	here, there := net.Pipe()
	o.Version, o.CacheDir = "test", t.TempDir()
	o.openForTest = func(_ context.Context, o workspace.Options) opened {
		w.opened(o)
		return w
	}
	c := &testClient{t: t, conn: here, exit: make(chan int, 1)}
	c.cond = sync.NewCond(&c.mu)
	done := make(chan struct{})
	go func() { c.exit <- Serve(context.Background(), there, o) }()
	go func() {
		defer close(done)
		c.read()
	}()
	t.Cleanup(func() {
		here.Close()
		<-done
		select {
		case code := <-c.exit:
			c.exit <- code
		case <-time.After(patience):
			t.Error("Serve did not return")
		}
	})
	return c
}

// initialized starts a server and brings it past the handshake.
func initialized(t *testing.T, w *fakeWorkspace, capabilities string) *testClient {
	t.Helper()
	c := connect(t, w)
	c.handshake(capabilities)
	return c
}

func (c *testClient) handshake(capabilities string) {
	c.t.Helper()
	c.call("initialize", `{"processId":null,"rootUri":null,"capabilities":`+capabilities+`}`).ok()
	c.notify("initialized", `{}`)
}

func (c *testClient) read() {
	defer func() {
		c.mu.Lock()
		c.ended = true
		c.cond.Broadcast()
		c.mu.Unlock()
	}()
	in := bufio.NewReader(c.conn)
	for {
		n := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			fmt.Sscanf(line, "Content-Length: %d", &n)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			c.t.Errorf("the server sent no message: %v: %s", err, body)
			return
		}
		if m.Method != "" && m.ID != nil {
			c.mu.Lock()
			answer := c.answer
			c.mu.Unlock()
			result := "null"
			if answer != nil {
				result = answer(m)
			}
			if result != "" {
				go c.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + asMember(result) + `}`)
			}
		}
		c.mu.Lock()
		c.received = append(c.received, m)
		c.cond.Broadcast()
		c.mu.Unlock()
	}
}

// asMember lets an answer be a result or, beginning with "error:", an error.
func asMember(result string) string {
	if e, ok := strings.CutPrefix(result, "error:"); ok {
		return `"error":` + e
	}
	return `"result":` + result
}

func (c *testClient) send(body string) {
	c.raw("Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

func (c *testClient) raw(text string) {
	c.conn.SetWriteDeadline(time.Now().Add(patience))
	c.conn.Write([]byte(text)) // a server that is gone is seen by reading
}

func (c *testClient) notify(method, params string) {
	c.send(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
}

// call sends a request and returns at once.
func (c *testClient) call(method, params string) *pendingAnswer {
	c.mu.Lock()
	c.id++
	id := strconv.Itoa(c.id)
	c.mu.Unlock()
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	return &pendingAnswer{c, id}
}

type pendingAnswer struct {
	c  *testClient
	id string // as JSON
}

// wait waits for the answer.
func (p *pendingAnswer) wait() message {
	p.c.t.Helper()
	return p.c.await("an answer to "+p.id, func(m message) bool { return m.Method == "" && string(m.ID) == p.id })
}

// ok waits for a result.
func (p *pendingAnswer) ok() string {
	p.c.t.Helper()
	m := p.wait()
	if m.Error != nil {
		p.c.t.Fatalf("request %s failed: %d %s", p.id, m.Error.Code, m.Error.Message)
	}
	return string(m.Result)
}

// fails waits for an error with that code.
func (p *pendingAnswer) fails(code int) message {
	p.c.t.Helper()
	m := p.wait()
	if m.Error == nil || m.Error.Code != code {
		p.c.t.Fatalf("request %s: got %+v, want error %d", p.id, m, code)
	}
	return m
}

// await takes the first message that satisfies want.
func (c *testClient) await(what string, want func(message) bool) message {
	c.t.Helper()
	deadline := time.AfterFunc(patience, func() {
		c.mu.Lock()
		c.ended = true
		c.cond.Broadcast()
		c.mu.Unlock()
	})
	defer deadline.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for i, m := range c.received {
			if want(m) {
				c.received = append(c.received[:i:i], c.received[i+1:]...)
				return m
			}
		}
		if c.ended {
			c.t.Fatalf("%s did not come; got %+v", what, c.received)
		}
		c.cond.Wait()
	}
}

// notification waits for a notification or request of the server.
func (c *testClient) notification(method string) message {
	c.t.Helper()
	return c.await(method, func(m message) bool { return m.Method == method })
}

func (c *testClient) answerWith(answer func(message) string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

// exitCode waits for the end of Serve.
func (c *testClient) exitCode() int {
	c.t.Helper()
	select {
	case code := <-c.exit:
		c.exit <- code
		return code
	case <-time.After(patience):
		c.t.Fatal("Serve did not return")
		return -1
	}
}

// alive proves that the session goes on.
func (c *testClient) alive() {
	c.t.Helper()
	c.call("nope/nope", `{}`).fails(-32601)
}

// A fakeWorkspace is a workspace under a test's control.
type fakeWorkspace struct {
	mu       sync.Mutex
	options  workspace.Options
	snapshot workspace.Snapshot
	settings []settings

	restarted []string
	refreshed int
	signedIn  []string

	// reconfigured, when set, hears the folders of each Reconfigure.
	reconfigured chan []string
	approved     []string
	closed       bool
	open         chan struct{}
	fake         fakeRunner
	rules        *permission.Store
}

// newFakeWorkspace runs scripts by calling run.
func newFakeWorkspace(t *testing.T, run func(context.Context, exec.Request) *exec.Result) *fakeWorkspace {
	w := &fakeWorkspace{
		open:  make(chan struct{}),
		fake:  fakeRunner{run: run},
		rules: permission.OpenStore(permission.StoreOptions{UserDir: t.TempDir()}),
	}
	first := newServer(Options{}, nil).session.Snapshot().Workspace
	w.snapshot = *first
	return w
}

func (w *fakeWorkspace) opened(o workspace.Options) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.options = o
	close(w.open)
}

// change makes a new snapshot and tells the server.
func (w *fakeWorkspace) change(f func(*workspace.Snapshot)) {
	<-w.open
	w.mu.Lock()
	f(&w.snapshot)
	changed := w.options.Changed
	w.mu.Unlock()
	changed()
}

func (w *fakeWorkspace) Snapshot() *workspace.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.snapshot
	return &s
}

func (w *fakeWorkspace) Reconfigure(s settings, folders []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settings = append(w.settings, s)
	if w.reconfigured != nil {
		w.reconfigured <- folders
	}
}

func (w *fakeWorkspace) Pending() []config.Server {
	var list []config.Server
	for _, s := range w.Snapshot().Servers {
		if s.State == "untrusted" {
			list = append(list, s.Server)
		}
	}
	return list
}

func (w *fakeWorkspace) SignIn(ctx context.Context, name string, scopes []string, b oauth.Browser) error {
	if err := b.Show(ctx, "https://login.example/authorize?state=x", "login.example"); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signedIn = append(w.signedIn, strings.Join(append([]string{name}, scopes...), " "))
	return nil
}

func (w *fakeWorkspace) SignOut(_ context.Context, name string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := slices.ContainsFunc(w.signedIn, func(s string) bool { return strings.HasPrefix(s, name) })
	w.signedIn = nil
	return was, nil
}

func (w *fakeWorkspace) RefuseAll() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.approved = append(w.approved, "none")
	return nil
}
func (w *fakeWorkspace) Approve(name, hash string, approve bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.approved = append(w.approved, fmt.Sprint(name, " ", approve))
	return nil
}

func (w *fakeWorkspace) Runner() runner { return &w.fake }
func (w *fakeWorkspace) Record(string) (*workspace.Recording, error) {
	return nil, errors.New("no place for it")
}
func (w *fakeWorkspace) Replay(string) (*cassette.Player, error) {
	return nil, errors.New("no such cassette")
}
func (w *fakeWorkspace) Rules() ruleStore { return w.rules }
func (w *fakeWorkspace) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

type fakeRunner struct {
	run       func(context.Context, exec.Request) *exec.Result
	direct    func(context.Context, exec.DirectRequest) []exec.CallResult
	cancelled sync.Map
	values    map[string]jsontext.Value // of kept runs
}

func (r *fakeRunner) Run(ctx context.Context, q exec.Request) *exec.Result { return r.run(ctx, q) }
func (r *fakeRunner) CallDirect(ctx context.Context, q exec.DirectRequest) []exec.CallResult {
	return r.direct(ctx, q)
}

func (r *fakeRunner) Cancel(id string) bool {
	f, ok := r.cancelled.Load(id)
	if ok {
		f.(func())()
	}
	return ok
}
func (r *fakeRunner) Runs(int) []exec.RunSummary               { return nil }
func (r *fakeRunner) Find(string) (*exec.Result, string, bool) { return nil, "", false }
func (r *fakeRunner) Value(id string) (jsontext.Value, bool) {
	v, ok := r.values[id]
	return v, ok
}

// echo is a runner whose result's text is the script.
func echo(_ context.Context, q exec.Request) *exec.Result {
	return &exec.Result{RunID: "r", Status: exec.Completed, Text: q.Code, Summary: "0 tool calls"}
}
