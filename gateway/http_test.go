package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const token = "a-token-of-the-test"

// site is a gateway on HTTP.
type site struct {
	*fixture
	url string
}

func openHTTP(t *testing.T) *site {
	t.Helper()
	f := open(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.ServeHTTP(ctx, l, HTTPOptions{Token: token}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &site{fixture: f, url: "http://" + l.Addr().String() + Endpoint}
}

// request is a POST as clients send it.
func (s *site) request(session, body string, change func(*http.Request)) *http.Response {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"tester","version":"1"}}}`

func (s *site) begin() (session string) {
	s.t.Helper()
	r := s.request("", initialize, nil)
	session = r.Header.Get("Mcp-Session-Id")
	if r.StatusCode != http.StatusOK || session == "" {
		s.t.Fatal(r.Status)
	}
	s.request(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
	return session
}

// messages are those of an answer, in one piece or as a stream, while they come.
func messages(r *http.Response, take func(wire) bool) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		data, _ := io.ReadAll(r.Body)
		m := wire{raw: string(data)}
		_ = json.Unmarshal(data, &m)
		take(m)
		return
	}
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		m := wire{raw: data}
		if json.Unmarshal([]byte(data), &m) == nil && !take(m) {
			return
		}
	}
}

// exec runs a script in a session.
func (s *site) exec(session, code string) (result toolResult) {
	s.t.Helper()
	r := s.request(session, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Exec","arguments":{"code":`+quoted(code)+`}}}`, nil)
	messages(r, func(m wire) bool {
		if string(m.ID) != "7" || m.Method != "" {
			return true
		}
		_ = json.Unmarshal(m.Result, &result)
		return false
	})
	return result
}

// GATE-1: only clients with the token, of this machine, by one of its names.
func TestGate1HTTPDoor(t *testing.T) {
	s := openHTTP(t)
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"as it should be": {nil, 200},
		"no token":        {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another token":   {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x"+token) }, 401},
		"basic":           {func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) }, 401},
		"token in the query": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=" + token
		}, 401},
		"a rebound name":    {func(r *http.Request) { r.Host = "evil.example:80" }, 403},
		"a similar name":    {func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		"another name":      {func(r *http.Request) { r.Host = "LOCALHOST:1" }, 200},
		"the other family":  {func(r *http.Request) { r.Host = "[::1]:80" }, 200},
		"a page":            {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"a sandboxed page":  {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a page of our own": {func(r *http.Request) { r.Header.Set("Origin", "http://localhost:6274") }, 200},
		"another path":      {func(r *http.Request) { r.URL.Path = "/" }, 404},
		"too long": {func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`"` + strings.Repeat("x", maxMessage+1) + `"`))
			r.ContentLength = -1
		}, 413},
		"garbage": {func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{")), 1 }, 400},
	} {
		if r := s.request("", initialize, test.change); r.StatusCode != test.want {
			body, _ := io.ReadAll(r.Body)
			t.Errorf("%s: %s, want %d: %s", name, r.Status, test.want, body)
		}
	}
	for method, want := range map[string]int{http.MethodGet: 404, http.MethodDelete: 404, http.MethodPost: 404} {
		r := s.request("not-a-session", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, func(r *http.Request) { r.Method = method })
		if r.StatusCode != want {
			t.Errorf("%s of an unknown session: %s", method, r.Status)
		}
	}
}

// GATE-1: 200 runs at once of twenty sessions, which see nothing of each other.
func TestGate1HTTPSessions(t *testing.T) {
	s := openHTTP(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			session := s.begin()
			s.exec(session, fmt.Sprintf(`await tools["$codemode"].store({ key: "mine", value: %d })`, i))
			var runs sync.WaitGroup
			for range 10 {
				runs.Go(func() {
					r := s.exec(session, `const r = await tools.mcp__a__read({ n: 1 }); return "mine is " + await tools["$codemode"].load({ key: "mine" })`)
					if r.IsError || !strings.Contains(r.text(), fmt.Sprintf("mine is %d\n", i)) && !strings.HasSuffix(r.text(), fmt.Sprintf("mine is %d", i)) {
						t.Errorf("session %d: %+v", i, r.text())
					}
				})
			}
			runs.Wait()
			if r := s.request(session, "", func(r *http.Request) { r.Method = http.MethodDelete }); r.StatusCode != 200 {
				t.Errorf("DELETE: %s", r.Status)
			}
			if r := s.request(session, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil); r.StatusCode != 404 {
				t.Errorf("an ended session answers: %s", r.Status)
			}
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) != 0 || len(s.flights) != 0 {
		t.Errorf("%d sessions and %d runs are left", len(s.sessions), len(s.flights))
	}
}

// GATE-1: the question of a session goes to that session, which alone can answer it.
func TestGate1HTTPElicitation(t *testing.T) {
	s := openHTTP(t)
	a, b := s.begin(), s.begin()
	r := s.request(a, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Exec","arguments":{"code":`+quoted(doIt)+`}}}`, nil)
	messages(r, func(m wire) bool {
		if m.Method == "elicitation/create" {
			answer := func(decision string) string {
				return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"action":"accept","content":{"decision":"` + decision + `"}}}`
			}
			s.request(b, answer("Deny"), nil)
			s.request(a, answer("Allow once"), nil)
			return true
		}
		if string(m.ID) != "7" {
			return true
		}
		var result toolResult
		if json.Unmarshal(m.Result, &result) != nil || result.IsError || !strings.Contains(result.text(), "now") {
			t.Errorf("%s", m.raw)
		}
		return false
	})
}

// A client that hangs up has its run cancelled.
func TestGate1HTTPHangUp(t *testing.T) {
	s := openHTTP(t)
	session := s.begin()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		s.server.WaitForLog(t, `"hang"`)
		cancel()
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Exec","arguments":{"code":"await tools.mcp__a__hang({})"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Mcp-Session-Id", session)
	if answer, err := http.DefaultClient.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	s.server.WaitForLog(t, "notifications/cancelled")
}

// Requests beyond the rate are refused, and later ones served.
func TestGate1HTTPRate(t *testing.T) {
	d := newDoor(open(t, nil).Gateway, HTTPOptions{Token: token})
	refused := 0
	for range burst + 100 {
		if leave, ok := d.enter(); ok {
			leave()
		} else {
			refused++
		}
	}
	if refused == 0 {
		t.Error("a flood was served")
	}
	d.measured = d.measured.Add(-time.Second)
	if _, ok := d.enter(); !ok {
		t.Error("nothing is served after a flood")
	}
	for range maxConcurrent {
		d.allowed = burst
		d.enter()
	}
	if _, ok := d.enter(); ok {
		t.Error("more requests at the same time than there may be")
	}
	for range maxHTTPSessions {
		d.sessions.Generate()
	}
	if !d.sessions.full() {
		t.Error("sessions without a limit")
	}
}
