package upstream

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"codemode-ls/config"
)

// remote is an MCP server over HTTP whose program can end and be started again.
type remote struct {
	t      *testing.T
	at     string
	server *http.Server
	calls  atomic.Int32 // tools/call that it has read and done
	// stale, when set, answers tools/call of sessions that the server has forgotten.
	session string
	stale   func()
	hangs   chan struct{} // has a value for each call that hangs
	told    chan string   // the ids of requests that were cancelled
}

func newRemote(t *testing.T) *remote {
	r := &remote{t: t, at: "127.0.0.1:0", session: "one", hangs: make(chan struct{}, 10), told: make(chan string, 10)}
	r.start()
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *remote) start() {
	l, err := net.Listen("tcp", r.at)
	if err != nil {
		r.t.Fatal(err)
	}
	r.at = l.Addr().String()
	server := &http.Server{Handler: r}
	server.SetKeepAlivesEnabled(false) // what is written to a connection that is closed may have been read
	r.server = server
	go func() { _ = server.Serve(l) }()
}

func (r *remote) stop() { _ = r.server.Close() }

func (r *remote) config() config.Server {
	return config.Server{Name: "h", Transport: config.HTTP, URL: "http://" + r.at + "/mcp"}
}

// ServeHTTP answers one message.
func (r *remote) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if q.Method != http.MethodPost || json.NewDecoder(q.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := `"error":{"code":-32601,"message":"no such method"}`
	if m.Method == "tools/call" && q.Header.Get("Mcp-Session-Id") != r.session {
		r.stale()
		w.WriteHeader(http.StatusNotFound)
		return
	}
	switch m.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", r.session)
		answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}}`
	case "tools/list":
		answer = `"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
	case "notifications/cancelled":
		r.told <- string(m.Params.RequestID)
	case "tools/call":
		r.calls.Add(1)
		if m.Params.Name == "hang" {
			r.hangs <- struct{}{}
			<-q.Context().Done()
			return
		}
		answer = `"result":{"content":[{"type":"text","text":"done"}]}`
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
}

// A call that has found nobody at the server's address waits for the next attempt
// to connect, as one to a process that has ended does: it was not carried out.
func TestNobodyListens(t *testing.T) { // MCP-5
	r := newRemote(t)
	s := newTestSet(t, nil)
	s.configure(r.config())
	s.settle()
	if got := s.call("h", "echo", "{}").Text; got != "done" {
		t.Fatal(got)
	}
	r.stop()
	again := make(chan struct{})
	go func() {
		defer close(again)
		s.untilState("h", Failed)
		r.start()
	}()
	if got := s.call("h", "echo", "{}").Text; got != "done" {
		t.Error(got)
	}
	<-again
	if n := r.calls.Load(); n != 2 {
		t.Errorf("%d calls", n)
	}
}

// All calls that are under way when the server turns out to have forgotten the
// session are made again in the next one, and not only the one that heard it first.
func TestForgottenInManyCalls(t *testing.T) { // MCP-5
	r := newRemote(t)
	s := newTestSet(t, nil)
	s.configure(r.config())
	s.settle()
	h := s.find("h")
	h.mu.Lock()
	old := h.session
	h.mu.Unlock()

	const n = 4
	var arrived sync.WaitGroup
	arrived.Add(n)
	var first atomic.Bool
	r.stop()
	r.session, r.stale = "two", func() {
		arrived.Done()
		arrived.Wait()
		if !first.CompareAndSwap(false, true) {
			<-old.ended // the first has been heard
		}
	}
	r.start()
	var calls sync.WaitGroup
	for range n {
		calls.Go(func() {
			if got, err := s.Call(testContext(t), Call{Server: "h", Tool: "echo"}); err != nil || got.Text != "done" {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if got := r.calls.Load(); got != n {
		t.Errorf("%d calls", got)
	}
}
