package upstream

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"codemode-ls/config"
)

// web is a server over HTTP that answers as a good one does, but where a test has
// it answer otherwise.
type web struct {
	*httptest.Server
	t *testing.T
	// other, when set, answers a message in its own way, or says that it does not.
	// The method of a GET or DELETE is its name.
	other func(w http.ResponseWriter, q *http.Request, m message) bool

	mu   sync.Mutex
	seen []seen
}

type seen struct {
	method string
	header http.Header
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

func newWeb(t *testing.T, other func(w http.ResponseWriter, q *http.Request, m message) bool) *web {
	w := &web{t: t, other: other}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *web) config() config.Server {
	return config.Server{Name: "h", Transport: config.HTTP, URL: w.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer key", "X-Own": "yes"}}
}

// count is how many messages of a method have come.
func (w *web) count(method string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.seen {
		if s.method == method {
			n++
		}
	}
	return n
}

func (w *web) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	var m message
	if body, _ := io.ReadAll(q.Body); len(body) > 0 {
		_ = json.Unmarshal(body, &m)
	} else {
		m.Method = q.Method
	}
	w.mu.Lock()
	w.seen = append(w.seen, seen{m.Method, q.Header})
	w.mu.Unlock()
	if w.other != nil && w.other(out, q, m) {
		return
	}
	switch m.Method {
	case http.MethodGet, http.MethodDelete:
		out.WriteHeader(http.StatusMethodNotAllowed)
	case "initialize":
		out.Header().Set("Mcp-Session-Id", "s1")
		reply(out, m, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"h","version":"1"}}`)
	case "tools/list":
		reply(out, m, `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"odd","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		reply(out, m, `{"content":[{"type":"text","text":"done"}]}`)
	case "ping":
		reply(out, m, `{}`)
	default:
		if m.ID == nil {
			out.WriteHeader(http.StatusAccepted)
			return
		}
		respond(out, m, `"error":{"code":-32601,"message":"no such method"}`)
	}
}

func reply(out http.ResponseWriter, m message, result string) { respond(out, m, `"result":`+result) }

func respond(out http.ResponseWriter, m message, members string) {
	out.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, members)
}

// odd is whether a message calls the tool that a test has a server answer oddly.
func odd(m message) bool { return m.Method == "tools/call" && m.Params.Name == "odd" }

func (s *testSet) connectTo(w *web) {
	s.t.Helper()
	s.configure(w.config())
	s.settle()
	if st := s.Status()[0]; st.State != Connected {
		s.t.Fatalf("%+v", st)
	}
}

// failing connects to a server that is not to be connected to, and is why not.
func failing(t *testing.T, w *web, change func(*config.Server)) string {
	t.Helper()
	s := newTestSet(t, nil)
	s.policy.maxRestarts = 0
	def := w.config()
	if change != nil {
		change(&def)
	}
	s.configure(def)
	s.settle()
	st := s.Status()[0]
	if st.State != Failed {
		t.Fatalf("%+v", st)
	}
	return st.Error
}

// TRUST-4: nothing goes to another origin, and where it would have gone is said.
func TestTrust4RedirectToAnotherOrigin(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, transport := range []string{config.HTTP, config.SSE} {
			t.Run(fmt.Sprint(status, transport), func(t *testing.T) {
				thief := newWeb(t, nil)
				w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
					http.Redirect(out, q, thief.URL+"/steal?secret=x", status)
					return true
				})
				message := failing(t, w, func(def *config.Server) { def.Transport = transport })
				if want := thief.URL + "/steal"; !strings.Contains(message, want+",") || strings.Contains(message, "secret") || !strings.Contains(message, fmt.Sprint(status)) {
					t.Error(message)
				}
				if len(thief.seen) > 0 {
					t.Errorf("%+v", thief.seen)
				}
			})
		}
	}
	t.Run("of a call", func(t *testing.T) {
		thief := newWeb(t, nil)
		w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
			if odd(m) {
				http.Redirect(out, q, thief.URL, http.StatusTemporaryRedirect)
			}
			return odd(m)
		})
		s := newTestSet(t, nil)
		s.connectTo(w)
		if err := s.refuse(t.Context(), "h", "odd"); !strings.Contains(err.Message, thief.URL) {
			t.Error(err)
		}
		if s.call("h", "echo", "{}").Text != "done" || len(thief.seen) > 0 || w.count("initialize") != 1 {
			t.Errorf("%+v", thief.seen)
		}
	})
}

// TRUST-4: neither does the old transport's endpoint name another one.
func TestTrust4EndpointOfAnotherOrigin(t *testing.T) {
	thief := newWeb(t, nil)
	for _, endpoint := range []string{thief.URL + "/msg", "//" + strings.TrimPrefix(thief.URL, "http://") + "/msg", "https://SELF/msg"} {
		var w *web
		w = newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
			out.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(out, "event: endpoint\ndata: %s\n\n", strings.ReplaceAll(endpoint, "SELF", strings.TrimPrefix(w.URL, "http://")))
			out.(http.Flusher).Flush()
			<-q.Context().Done()
			return true
		})
		if message := failing(t, w, func(def *config.Server) { def.Transport = config.SSE }); !strings.Contains(message, "another origin") {
			t.Error(message)
		}
	}
	if len(thief.seen) > 0 {
		t.Errorf("%+v", thief.seen)
	}
}

// TRUST-4: within the origin a redirect is followed as long as the request stays
// what it is.
func TestTrust4RedirectWithinTheOrigin(t *testing.T) {
	moved := func(status int) *web {
		return newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
			if q.URL.Path != "/mcp/" {
				out.Header().Set("Location", "/mcp/")
				out.WriteHeader(status)
			}
			return q.URL.Path != "/mcp/"
		})
	}
	w := moved(http.StatusPermanentRedirect)
	s := newTestSet(t, nil)
	s.connectTo(w)
	if s.call("h", "echo", "{}").Text != "done" {
		t.Error("no answer")
	}
	for _, one := range w.seen {
		if one.header.Get("Authorization") != "Bearer key" {
			t.Errorf("%+v", one)
		}
	}
	for _, status := range []int{301, 302, 303} {
		w := moved(status)
		if message := failing(t, w, nil); !strings.Contains(message, fmt.Sprint(status)) || !strings.Contains(message, "would make a GET") {
			t.Error(message)
		}
		if w.count(http.MethodGet) > 0 {
			t.Error("a POST became a GET")
		}
	}
}

// MCP-3, TRUST-4: what fails is the call. The session, the calls beside it and the
// tools remain, however often it happens.
func TestTrust4FailureIsTheCallsOwn(t *testing.T) {
	status := func(status int, header, body string) func(http.ResponseWriter, message) {
		return func(out http.ResponseWriter, _ message) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				out.Header().Set(name, value)
			}
			out.WriteHeader(status)
			_, _ = io.WriteString(out, body)
		}
	}
	stream := func(text string) func(http.ResponseWriter, message) {
		return func(out http.ResponseWriter, m message) {
			out.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(out, strings.ReplaceAll(text, "ID", string(m.ID)))
		}
	}
	cut := func(next func(http.ResponseWriter, message)) func(http.ResponseWriter, message) {
		return func(out http.ResponseWriter, m message) {
			if next != nil {
				next(out, m)
				out.(http.Flusher).Flush()
			}
			panic(http.ErrAbortHandler)
		}
	}
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter, message)
		want   []string
	}{
		"503":               {status(503, "Retry-After: 7", "<html><head><title>Busy</title><style>x</style></head><body>come &amp; see</body>"), []string{"HTTP 503", "Busy come & see", "try again in 7s"}},
		"429":               {status(429, "Retry-After: 120", `{"error":{"message":"too fast"}}`), []string{"HTTP 429", "too fast", "try again in 2m0s"}},
		"429 with an error": {status(429, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"too fast"}}`), []string{"HTTP 429", "too fast", "try again later"}},
		"401":               {status(401, `WWW-Authenticate: Bearer error="invalid_token", error_description="it expired"`, ""), []string{"HTTP 401", "it expired", `"headers"`}},
		"403":               {status(403, "", `{"message":"not in your plan"}`), []string{"HTTP 403", "not in your plan", `"headers"`}},
		"500":               {status(500, "", strings.Repeat("long ", 10_000)), []string{"HTTP 500", "long long"}},
		"cut":               {cut(nil), []string{"the connection was cut before the server had answered"}},
		"cut stream":        {cut(stream("id: 1\ndata: {\"jsonrpc\"")), []string{"the connection was cut during the answer"}},
		"cut body": {cut(func(out http.ResponseWriter, _ message) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, `{"jsonrpc"`)
		}), []string{"the connection was cut during the answer"}},
		"ended stream":  {stream(": nothing\n\n"), []string{"closed the connection before it had answered"}},
		"ended event":   {stream(`data: {"jsonrpc":"2.0","id":ID,"resu`), []string{"closed the connection before it had answered"}},
		"no JSON":       {stream("data: {\"jsonrpc\":\n\n"), []string{"cannot be read"}},
		"page":          {func(out http.ResponseWriter, _ message) { _, _ = io.WriteString(out, "<p>Log in") }, []string{"text/html", "Log in"}},
		"another's":     {stream(`data: {"jsonrpc":"2.0","id":987654,"result":{}}` + "\n\n"), []string{"closed the connection before it had answered"}},
		"too deep":      {stream("data: " + strings.Repeat("[", 20_000) + "\n\n"), []string{"cannot be read"}},
		"400 of a call": {status(400, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"x is missing"}}`), []string{"x is missing"}},
		"400 page":      {status(400, "", `no`), []string{"HTTP 400", "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			slow, release := make(chan struct{}), make(chan struct{})
			w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
				if odd(m) {
					test.answer(out, m)
				} else if m.Params.Name == "echo" {
					slow <- struct{}{}
					<-release
				}
				return odd(m)
			})
			s := newTestSet(t, nil)
			s.connectTo(w)
			var beside sync.WaitGroup
			beside.Go(func() {
				if s.call("h", "echo", "{}").Text != "done" {
					t.Error("the call beside it failed")
				}
			})
			<-slow
			for range 8 {
				err := s.refuse(testContext(t), "h", "odd")
				for _, want := range test.want {
					if !strings.Contains(err.Message, want) {
						t.Errorf("%q lacks %q", err.Message, want)
					}
				}
				if n := len([]rune(err.Message)); n > 530 {
					t.Errorf("%d characters", n)
				}
			}
			close(release)
			beside.Wait()
			if st := s.Status()[0]; st.State != Connected || st.Tools != 2 || w.count("initialize") != 1 {
				t.Errorf("%+v, %d sessions", st, w.count("initialize"))
			}
			if n := w.count("tools/call"); n != 9 {
				t.Errorf("%d calls were sent", n)
			}
		})
	}
}

// MCP-5, TRUST-4: a server that has forgotten the session says 404, or, not as the
// specification has it, 400 to everything. Only when it has read nothing of the call
// is that sent again.
func TestMCP5ForgottenBy400(t *testing.T) {
	for body, again := range map[string]bool{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no valid session"}}`: true,
		`Bad Request`: false,
	} {
		var session atomic.Int32
		w := newWeb(t, nil)
		w.other = func(out http.ResponseWriter, q *http.Request, m message) bool {
			if m.Method == "initialize" {
				out.Header().Set("Mcp-Session-Id", fmt.Sprint("s", session.Add(1)))
				reply(out, m, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"h","version":"1"}}`)
				return true
			}
			if q.Method != http.MethodPost || m.Method == "server/discover" || q.Header.Get("Mcp-Session-Id") == fmt.Sprint("s", session.Load()) {
				return false
			}
			out.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(out, body)
			return true
		}
		s := newTestSet(t, nil)
		s.connectTo(w)
		session.Add(1)
		if !again {
			if err := s.refuse(testContext(t), "h", "echo"); !strings.Contains(err.Message, "HTTP 400") {
				t.Error(err)
			}
		}
		if got := s.call("h", "echo", "{}").Text; got != "done" {
			t.Error(got)
		}
		if n := w.count("tools/call"); n != 2 {
			t.Errorf("%d calls", n)
		}
	}
}

// MCP-3: why connecting failed is said in the server's words, with what to do.
func TestMCP3WhyConnectingFailed(t *testing.T) {
	for status, want := range map[int]string{
		400: `HTTP 400 Bad Request: because; check the path of the server's "url", or set "type": "sse" if it is an old server`,
		401: `HTTP 401 Unauthorized: because; set a valid key or token in the server's "headers"`,
		403: `HTTP 403 Forbidden: because; check what the key or token in the server's "headers" may do`,
		404: `HTTP 404 Not Found: because; check the path of the server's "url", or set "type": "sse" if it is an old server`,
		406: `HTTP 406 Not Acceptable: because; check the path of the server's "url", or set "type": "sse" if it is an old server`,
		429: `HTTP 429 Too Many Requests: because; try again in 3s`,
		500: `HTTP 500 Internal Server Error: because`,
	} {
		w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
			out.Header().Set("Retry-After", "3")
			out.WriteHeader(status)
			_, _ = io.WriteString(out, `{"detail":"because\u001b[31m"}`)
			return true
		})
		if got := failing(t, w, nil); strings.ReplaceAll(got, "[31m", "") != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// MCP-3: a server of the old transport is found without being told.
func TestMCP3FallbackToSSE(t *testing.T) {
	for _, status := range []int{400, 403, 404, 405, 415} {
		var out chan string
		ready := make(chan chan string, 10)
		w := newWeb(t, func(rw http.ResponseWriter, q *http.Request, m message) bool {
			switch {
			case q.Method == http.MethodGet:
				mine := make(chan string, 10)
				ready <- mine
				rw.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(rw, "\xef\xbb\xbfevent: endpoint\r\ndata: /messages?s=1\r\n\r\n")
				rw.(http.Flusher).Flush()
				for {
					select {
					case text := <-mine:
						fmt.Fprintf(rw, "event: message\r\ndata: %s\r\n\r\n", text)
						rw.(http.Flusher).Flush()
					case <-q.Context().Done():
						return true
					}
				}
			case q.URL.Path == "/mcp":
				rw.WriteHeader(status)
				return true
			}
			if m.Method == "initialize" {
				out = <-ready
			}
			recorded := httptest.NewRecorder()
			rw.WriteHeader(http.StatusAccepted)
			switch m.Method {
			case "initialize":
				reply(recorded, m, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
			case "tools/list":
				reply(recorded, m, `{"tools":[{"name":"echo","inputSchema":{}}]}`)
			case "tools/call":
				reply(recorded, m, `{"content":[{"type":"text","text":"done"}]}`)
			}
			if recorded.Body.Len() > 0 {
				out <- recorded.Body.String()
			}
			return true
		})
		s := newTestSet(t, nil)
		s.connectTo(w)
		if got := s.call("h", "echo", "{}").Text; got != "done" {
			t.Error(got)
		}
		s.Close()
	}
}

// MCP-3: every request of a session carries the configured headers, the session and
// the protocol version, and no session is left behind.
func TestMCP3HeadersOfEveryRequest(t *testing.T) {
	listening := make(chan struct{}, 10)
	w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
		if m.Method == http.MethodGet {
			listening <- struct{}{}
		}
		return false
	})
	s := newTestSet(t, nil)
	s.connectTo(w)
	<-listening
	s.call("h", "echo", "{}")
	s.Close()
	for _, one := range w.seen {
		if one.header.Get("Authorization") != "Bearer key" || one.header.Get("X-Own") != "yes" {
			t.Errorf("%s has no headers: %v", one.method, one.header)
		}
		if one.method == "server/discover" || one.method == "initialize" {
			continue
		}
		if one.header.Get("Mcp-Session-Id") != "s1" || one.header.Get("Mcp-Protocol-Version") != "2025-06-18" {
			t.Errorf("%s is of no session: %v", one.method, one.header)
		}
	}
	if w.count("initialize") != 1 || w.count(http.MethodDelete) != 1 {
		t.Errorf("%d sessions, %d ended", w.count("initialize"), w.count(http.MethodDelete))
	}
}

// lines is a log that a test can read.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newLog(level slog.Level) (*lines, *slog.Logger) {
	l := new(lines)
	return l, slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

// OBS-4: that a server has no stream of notifications is its right, and it is not
// asked again.
func TestMCP3NoStreamOfNotifications(t *testing.T) {
	for _, status := range []int{400, 401, 404, 405, 200} {
		log, logger := newLog(slog.LevelInfo)
		asked := make(chan struct{}, 10)
		w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
			if m.Method != http.MethodGet {
				return false
			}
			out.WriteHeader(status)
			_, _ = io.WriteString(out, "<p>no")
			asked <- struct{}{}
			return true
		})
		s := newTestSet(t, func(o *Options) { o.Log = logger })
		s.connectTo(w)
		<-asked
		s.call("h", "echo", "{}")
		s.Close()
		if w.count(http.MethodGet) != 1 || strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "listen") {
			t.Errorf("%d: asked %d times\n%s", status, w.count(http.MethodGet), log)
		}
	}
}

// MCP-3: only an answer that names a protocol version is one to server/discover.
func TestMCP3DiscoverAnsweredByNothing(t *testing.T) {
	for _, result := range []string{`{}`, `true`, `null`, `[]`, `{"supportedVersions":[]}`, `{"supportedVersions":["2025-06-18"]}`, `{"supportedVersions":["2999-01-01"]}`, `{"supportedVersions":"2026-07-28"}`} {
		w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
			if m.Method == "server/discover" {
				reply(out, m, result)
			}
			return m.Method == "server/discover"
		})
		s := newTestSet(t, nil)
		s.connectTo(w)
		if s.call("h", "echo", "{}").Text != "done" || w.count("initialize") != 1 {
			t.Errorf("%s: %d times initialize", result, w.count("initialize"))
		}
	}
}

// MCP-6: what a server logs is in our log, at its level, and no more than a person
// can read.
func TestMCP6ServerLog(t *testing.T) {
	log, logger := newLog(slog.LevelInfo)
	w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
		if !odd(m) {
			return false
		}
		out.Header().Set("Content-Type", "text/event-stream")
		note := func(level, data string) {
			fmt.Fprintf(out, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":%q,\"logger\":\"db\",\"data\":%s}}\n\n", level, data)
		}
		note("warning", `"disk is\n\u001b[31m full"`)
		note("critical", `{"code":7}`)
		note("debug", `"quiet"`)
		note("info", `"`+strings.Repeat("x", 5000)+`"`)
		for range 1000 {
			note("info", `"flood"`)
		}
		fmt.Fprintf(out, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", m.ID)
		return true
	})
	s := newTestSet(t, func(o *Options) { o.Log = logger })
	s.connectTo(w)
	s.call("h", "odd", "{}")
	text := log.String()
	for _, want := range []string{`level=WARN msg="server: disk is`, `level=ERROR msg="server: {\"code\":7}"`, "server=h", "logger=db"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, clip(text, 2000))
		}
	}
	if strings.Contains(text, "quiet") || strings.Contains(text, strings.Repeat("x", 501)) || strings.Contains(text, "\x1b") || strings.Count(text, "flood") > 100 {
		t.Errorf("%d times, %d bytes", strings.Count(text, "flood"), len(text))
	}
}

// MCP-3: what servers send that is a little off is read all the same.
func TestMCP3AnswersAsServersSendThem(t *testing.T) {
	for name, send := range map[string]func(out http.ResponseWriter, text string){
		"no type": func(out http.ResponseWriter, text string) {
			out.Header()["Content-Type"] = nil
			_, _ = io.WriteString(out, text)
		},
		"text": func(out http.ResponseWriter, text string) {
			out.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(out, text)
		},
		"mark": func(out http.ResponseWriter, text string) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, "\xef\xbb\xbf"+text)
		},
		"batch": func(out http.ResponseWriter, text string) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, `[{"jsonrpc":"2.0","method":"x"},`+text+`]`)
		},
		"stream":      func(out http.ResponseWriter, text string) { event(out, ": hello\n\nretry: 5\n\ndata: "+text+"\n\n") },
		"stream mark": func(out http.ResponseWriter, text string) { event(out, "\xef\xbb\xbfdata:"+text+"\n\n") },
		"lines": func(out http.ResponseWriter, text string) {
			event(out, "event: message\r\ndata: "+strings.ReplaceAll(text, ",", ",\r\ndata: ")+"\r\n\r\n")
		},
		"no end":     func(out http.ResponseWriter, text string) { event(out, "data: "+text) },
		"in a batch": func(out http.ResponseWriter, text string) { event(out, "data: ["+text+"]\n\n") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
				if odd(m) {
					send(out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`, m.ID))
				}
				return odd(m)
			})
			s := newTestSet(t, nil)
			s.connectTo(w)
			if got := s.call("h", "odd", "{}").Text; got != "done" {
				t.Error(got)
			}
		})
	}
}

// MCP-3: a stream that the server ends before its answer is resumed where it was.
func TestMCP3ResumedStream(t *testing.T) {
	call := make(chan message, 1)
	w := newWeb(t, func(out http.ResponseWriter, q *http.Request, m message) bool {
		if odd(m) {
			call <- m
			event(out, "id: e1\nretry: 20\ndata: \n\n")
			return true
		}
		if q.Header.Get("Last-Event-ID") != "e1" {
			return false
		}
		event(out, "id: e2\n")
		fmt.Fprintf(out, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late\"}]}}\n\n", (<-call).ID)
		return true
	})
	s := newTestSet(t, nil)
	s.connectTo(w)
	if got := s.call("h", "odd", "{}").Text; got != "late" {
		t.Error(got)
	}
}

func event(out http.ResponseWriter, text string) {
	out.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(out, text)
}

// endless writes until the client has had enough, a gigabyte at most, and is how
// much that was.
func endless(out io.Writer, block []byte) (written int) {
	for written < 1<<30 {
		n, err := out.Write(block)
		if written += n; err != nil {
			return written
		}
	}
	return written
}

// TRUST-4, TEST-10: however much a server sends, it costs no more than what is
// stated, and that is given back.
func TestTrust4MemoryOfHostileServers(t *testing.T) {
	block := bytes.Repeat([]byte("x"), 1<<20)
	call := func(out http.ResponseWriter, m message, media, head string) bool {
		if !odd(m) {
			return false
		}
		out.Header().Set("Content-Type", media)
		fmt.Fprintf(out, head, m.ID)
		endless(out, block)
		return true
	}
	const text = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 200 {
		_, _ = z.Write(block)
	}
	_ = z.Close()
	for name, test := range map[string]struct {
		other   func(out http.ResponseWriter, q *http.Request, m message) bool
		connect bool // it cannot even be connected to
		most    uint64
	}{
		"error page": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			out.WriteHeader(500)
			endless(out, block)
			return true
		}, false, 100 << 20},
		"initialize": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			if m.Method != "initialize" {
				return false
			}
			out.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":"`, m.ID)
			endless(out, block)
			return true
		}, false, 100 << 20},
		"headers": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			for i := range 20 {
				out.Header().Set(fmt.Sprint("X-", i), strings.Repeat("v", 100_000))
			}
			return false
		}, false, 100 << 20},
		"line of notifications": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			if m.Method != http.MethodGet {
				return false
			}
			event(out, "data: ")
			endless(out, block)
			return true
		}, true, 100 << 20},
		"event of many lines": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			if !odd(m) {
				return false
			}
			event(out, "")
			endless(out, []byte(strings.Repeat("data: \n", 10_000)))
			return true
		}, true, 300 << 20},
		"answer": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			return call(out, m, "application/json", text)
		}, true, 600 << 20},
		"stream": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			return call(out, m, "text/event-stream", "data: "+text)
		}, true, 600 << 20},
		"comment": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			return call(out, m, "text/event-stream", ": %s")
		}, true, 100 << 20},
		"content of many parts": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			if odd(m) {
				out.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{}%s]}}`, m.ID, strings.Repeat(",{}", 20<<20))
			}
			return odd(m)
		}, true, 600 << 20},
		"bomb": {func(out http.ResponseWriter, q *http.Request, m message) bool {
			if odd(m) {
				out.Header().Set("Content-Type", "application/json")
				out.Header().Set("Content-Encoding", "gzip")
				_, _ = out.Write(bomb.Bytes())
			}
			return odd(m)
		}, true, 600 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			debug.FreeOSMemory()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			peak := watchHeap(t)
			w := newWeb(t, test.other)
			s := newTestSet(t, nil)
			if test.connect {
				s.connectTo(w)
				if name == "line of notifications" {
					s.call("h", "echo", "{}")
				} else if err := s.refuse(testContext(t), "h", "odd"); !strings.Contains(err.Message, "larger than") {
					t.Error(err)
				}
			} else if message := failing(t, w, nil); len(message) > 600 {
				t.Error(len(message))
			}
			if most := peak() - min(peak(), before.HeapAlloc); most > test.most || most > MaxServerBytes {
				t.Errorf("it cost %d MB", most>>20)
			}
			s.Close()
			w.Close()
			debug.FreeOSMemory()
			runtime.ReadMemStats(&after)
			if after.HeapAlloc > before.HeapAlloc+50<<20 {
				t.Errorf("%d MB are not given back", (after.HeapAlloc-before.HeapAlloc)>>20)
			}
		})
	}
}

// watchHeap measures how much memory there is in use at most.
func watchHeap(t *testing.T) (peak func() uint64) {
	var most atomic.Uint64
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	t.Cleanup(func() { close(stop); watching.Wait() })
	return most.Load
}
