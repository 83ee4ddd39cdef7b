package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"codemode-ls/config"
	"codemode-ls/upstream/oauth"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Bounds of HTTP, beside those that every transport has.
const (
	maxResponseHeader = 256 << 10
	maxErrorBody      = 64 << 10 // of an error page, which is read no further
	maxRedirects      = 5        // within the origin
	maxNotice         = 1 << 20  // one notification or request of a server
)

// goodbyeTimeout bounds the request that ends a session.
const goodbyeTimeout = 2 * time.Second

// newHTTP makes the connections to all servers over HTTP.
func newHTTP() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = maxResponseHeader
	return t
}

// A gate is what every HTTP request of one session passes, and every answer: the
// only place that knows what may go to the network and how much may come from it.
// What the MCP library then reads is bounded, well formed, and decoded once.
type gate struct {
	next    http.RoundTripper
	origin  *url.URL
	headers map[string]string
	sse     bool // the old transport, with all answers on one stream
	max     int  // bytes of an answer
	log     *slog.Logger
	s       *session
	auth    *oauth.Client // nil: nobody signs in

	held     atomic.Int64 // bytes of answers that are being read
	flood    throttle     // what nobody asked for
	requests limiter      // of the server's own requests

	versioned chan struct{} // closed when the version is known
	version   string
	once      sync.Once

	mu      sync.Mutex
	broken  int                 // streams of notifications in a row that did not last
	pending map[int64]*exchange // requests of the old transport that wait
}

// An exchange is one request to a server and its answer, as the gate saw them. It
// travels in the request's context.
type exchange struct {
	method string
	id     int64
	// answer is what the server answered, without what the MCP library would make of
	// it; failure is why there is none.
	answer  atomic.Pointer[envelope]
	failure atomic.Pointer[httpFailure]
	ended   atomic.Bool // the stream ended in good order, without an answer
}

type exchangeKey struct{}

func (x *exchange) fail(f *httpFailure) {
	if x != nil {
		x.failure.CompareAndSwap(nil, f)
	}
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// send sends one request and has its answer, or why there is none.
func (g *gate) send(ctx context.Context, req transport.JSONRPCRequest, send roundTrip) (*transport.JSONRPCResponse, error) {
	id, _ := req.ID.Value().(int64)
	x := &exchange{method: req.Method, id: id}
	ctx = context.WithValue(ctx, exchangeKey{}, x)
	if g.sse {
		g.mu.Lock()
		g.pending[id] = x
		g.mu.Unlock()
		defer func() {
			g.mu.Lock()
			delete(g.pending, id)
			g.mu.Unlock()
		}()
	}
	resp, err := sendTapped(ctx, req, func(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		resp, err := send(ctx, req)
		return g.settle(ctx, x, resp, err)
	})
	if answer := x.answer.Load(); answer != nil && err == nil && resp.Error == nil {
		if tap, ok := ctx.Value(tapKey{}).(*tap); ok {
			tap.result = answer.result
		}
	}
	return resp, err
}

// settle says how a request ended. What the gate saw counts more than what the MCP
// library made of it.
func (g *gate) settle(ctx context.Context, x *exchange, resp *transport.JSONRPCResponse, err error) (*transport.JSONRPCResponse, error) {
	f := x.failure.Load()
	switch {
	case x.answer.Load() != nil && err == nil, ctx.Err() != nil:
	case f != nil && g.forgotten(ctx, x, f):
		g.s.end(errForgotten)
		if f.status == http.StatusNotFound || f.nobodys() {
			return nil, errForgotten
		}
		return nil, f // perhaps it was carried out
	case f != nil && (err != nil || f.details() == nil || mcp.MCPMethod(x.method) == mcp.MethodPing):
		return nil, f
	case errors.Is(err, transport.ErrSessionTerminated): // it was not sent
		g.s.end(errForgotten)
		return nil, errForgotten
	case err != nil && x.ended.Load():
		return nil, errors.New("the server closed the connection before it had answered")
	case err == nil && resp.Error == nil && x.answer.Load() == nil:
		return nil, errors.New("the server answered nothing")
	}
	return resp, err
}

// pingTimeout bounds the question whether a session is still known.
const pingTimeout = 5 * time.Second

// forgotten reports whether an answer means that the server does not know our session
// any more. That is 404, as the specification has it. Some servers say 400, which
// can mean anything: then another request of the session shows.
func (g *gate) forgotten(ctx context.Context, x *exchange, f *httpFailure) bool {
	switch {
	case !f.session || g.sse:
		return false
	case f.status == http.StatusNotFound:
		return true
	case f.status != http.StatusBadRequest || f.fault() != nil && !f.nobodys(), mcp.MCPMethod(x.method) == mcp.MethodPing:
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	ctx, _ = tapped(ctx) // what the call was answered remains its own
	//lint:ignore SA1019 only older protocol versions have sessions
	err := g.s.client.Ping(ctx)
	var ping *httpFailure
	return errors.Is(err, errForgotten) || errors.As(err, &ping) && ping.status == http.StatusBadRequest
}

// waiting reports whether an answer is expected on the stream of the old transport.
func (g *gate) waiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.pending) > 0
}

// waitingForID is the request of the old transport that has an id.
func (g *gate) waitingForID(id int64) *exchange {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pending[id]
}

// waitingFor is the request that a message of the old transport answers.
func (g *gate) waitingFor(m *envelope) *exchange {
	id, ok := m.number()
	if !ok {
		return nil
	}
	return g.waitingForID(id)
}

// modern reports whether the connection speaks the newest protocol version.
func (g *gate) modern() bool {
	select {
	case <-g.versioned:
		return mcp.IsModernProtocol(g.version)
	default:
		return false
	}
}

// bound is how long the answer may be: only those to calls and lists are long.
func (g *gate) bound(x *exchange) int {
	if x != nil {
		switch mcp.MCPMethod(x.method) {
		case mcp.MethodInitialize, mcp.MethodServerDiscover, mcp.MethodPing:
		default:
			return g.max
		}
	}
	return min(g.max, maxAside)
}

// client is an HTTP client all of whose requests pass the gate.
func (g *gate) client() *http.Client {
	return &http.Client{Transport: g, CheckRedirect: g.checkRedirect}
}

// checkRedirect follows a redirect within the origin alone, and only when the
// request stays what it is. The network is not trusted with headers, session or
// arguments that are meant for the configured origin (TRUST-4).
func (g *gate) checkRedirect(req *http.Request, via []*http.Request) error {
	f := &httpFailure{problem: ""}
	status := 0
	if req.Response != nil {
		status = req.Response.StatusCode
	}
	to := g.place(req.URL)
	switch {
	case !sameOrigin(req.URL, g.origin):
		f.problem = fmt.Sprintf("the server redirects (HTTP %d) to another origin, %s, which is not followed; if that is the server, set its \"url\" to it", status, to)
	case req.Method != via[0].Method:
		f.problem = fmt.Sprintf("the server redirects (HTTP %d) to %s, which would make a GET without its content of the %s; set its \"url\" to that", status, to, via[0].Method)
	case len(via) > maxRedirects:
		f.problem = fmt.Sprintf("the server redirects more than %d times, at last to %s", maxRedirects, to)
	default:
		return nil
	}
	exchangeOf(req.Context()).fail(f)
	return f
}

// place is a URL as it may be shown: without user and query, which may be secret,
// and without the path of the server's own URL.
func (g *gate) place(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	text := shown.String()
	if own := g.origin.EscapedPath(); len(own) > 1 && strings.HasPrefix(u.EscapedPath(), own) {
		text = u.Scheme + "://" + u.Host + "/…" + strings.TrimPrefix(u.EscapedPath(), own)
	}
	return clip(text, 200)
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}

// setVersion is called with the protocol version that was negotiated.
func (g *gate) setVersion(version string) {
	if version == "" {
		return
	}
	g.once.Do(func() {
		g.version = version
		close(g.versioned)
	})
}

// RoundTrip sends one request and bounds its answer.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	if !sameOrigin(req.URL, g.origin) {
		f := &httpFailure{problem: fmt.Sprintf("the server names another origin, %s, which nothing is sent to", g.place(req.URL))}
		x.fail(f)
		return nil, f
	}
	req = req.Clone(req.Context())
	listens := !g.sse && req.Method == http.MethodGet && req.Header.Get("Last-Event-ID") == ""
	if listens {
		if err := g.mayListen(req.Context()); err != nil {
			return nil, err
		}
		req.Header.Set(transport.HeaderKeyProtocolVersion, g.version)
	}
	for name, value := range g.headers {
		req.Header.Set(name, value)
	}
	if req.Method == http.MethodDelete { // nothing depends on it
		ctx, cancel := context.WithTimeout(req.Context(), goodbyeTimeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	resp, demand, err := g.authorized(req)
	if demand != nil {
		g.s.demand.Store(demand)
		g.s.reconsider()
	}
	if err != nil {
		if listens {
			g.listened(false)
		}
		return nil, err
	}
	if listens {
		return g.listening(req, resp), nil
	}
	return g.answered(req, resp, x, demand)
}

// post sends a message that nothing is answered to.
func (g *gate) post(ctx context.Context, to, session string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set(transport.HeaderKeySessionID, session)
	}
	if g.version != "" {
		req.Header.Set(transport.HeaderKeyProtocolVersion, g.version)
	}
	resp, err := g.client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return newHTTPFailure(resp, readPage(resp))
	}
	return nil
}

// answered makes of an answer what the MCP library may read.
func (g *gate) answered(req *http.Request, resp *http.Response, x *exchange, demand *signInDemand) (*http.Response, error) {
	if redirects(resp) { // the client asks checkRedirect
		resp.Body = &limited{ReadCloser: resp.Body, left: maxErrorBody}
		return resp, nil
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		f := newHTTPFailure(resp, readPage(resp))
		f.session = req.Header.Get(transport.HeaderKeySessionID) != ""
		f.method, f.sse = req.Method, g.sse
		if demand != nil {
			f.err, f.todo = demand, demand.advice(g.s.name)
		}
		if x != nil {
			f.connecting = x.method == "" || x.method == string(mcp.MethodInitialize) || x.method == string(mcp.MethodServerDiscover)
		}
		x.fail(f)
		if resp.StatusCode == http.StatusNotFound && !f.session && f.fault() != nil {
			// The newest protocol version answers an unknown method so, and the MCP
			// library would take it for the end of a session.
			resp.StatusCode = http.StatusBadRequest
		}
		resp.Body = io.NopCloser(bytes.NewReader(f.page))
		return resp, nil
	}
	media := mediaType(resp)
	switch {
	case media == "text/event-stream":
		if g.sse {
			x = nil
		}
		resp.Body = g.newEvents(req.Context(), resp.Body, x)
	case req.Method == http.MethodGet:
		f := newHTTPFailure(resp, readPage(resp))
		f.problem = fmt.Sprintf("the server answers a GET with %s instead of an event stream", orNone(media))
		f.method, f.sse, f.connecting = req.Method, g.sse, true
		x.fail(f)
		return nil, f
	case x == nil || g.sse: // the answer to a notification, or one that comes on the stream
		if resp.StatusCode != http.StatusOK {
			resp.StatusCode = http.StatusAccepted
		}
		resp.Body = &limited{ReadCloser: resp.Body, left: maxErrorBody}
	default:
		return g.whole(req.Context(), resp, media, x)
	}
	return resp, nil
}

// whole reads an answer that is not a stream.
func (g *gate) whole(ctx context.Context, resp *http.Response, media string, x *exchange) (*http.Response, error) {
	defer resp.Body.Close()
	var body chunks
	err := g.fill(&body, resp.Body, g.bound(x))
	defer func() { g.held.Add(-int64(body.size)) }()
	if err != nil {
		f := &httpFailure{problem: err.Error()}
		if !errors.As(err, new(tooLarge)) {
			f.problem = "the connection was cut during the answer: " + err.Error()
		}
		x.fail(f)
		return nil, f
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(body.bytes(), []byte("\xef\xbb\xbf")))
	if media != "application/json" && (len(text) == 0 || text[0] != '{' && text[0] != '[') {
		f := newHTTPFailure(resp, text[:min(len(text), maxErrorBody)])
		f.problem = fmt.Sprintf("the server answered with %s instead of MCP", orNone(media))
		x.fail(f)
		return nil, f
	}
	// Read as the only event of a stream: a batch is several.
	events := &events{gate: g, ctx: ctx, exchange: x}
	events.take("message", text)
	if events.err != nil && x.answer.Load() == nil {
		return nil, events.err
	}
	events.err = io.EOF
	resp.Header.Set("Content-Type", "text/event-stream")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Body = events
	return resp, nil
}

func orNone(media string) string {
	if media == "" {
		return "nothing"
	}
	return media
}

func mediaType(resp *http.Response) string {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return clip(media, 60)
}

func redirects(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// The stream of notifications (GET) is a server's choice. It is opened when the
// protocol version is known, and again ever more seldom while it does not last.
const (
	listenMinimum = 10 * time.Second // a stream that ends sooner did not last
	listenMaximum = time.Minute      // between attempts
)

// mayListen waits until the stream may be opened.
func (g *gate) mayListen(ctx context.Context) error {
	select {
	case <-g.versioned:
	case <-ctx.Done():
		return ctx.Err()
	}
	g.mu.Lock()
	broken := g.broken
	g.mu.Unlock()
	if broken == 0 {
		return nil
	}
	if !wait(ctx, min(time.Second<<min(broken, 10), listenMaximum)) {
		return ctx.Err()
	}
	return nil
}

// listened notes whether a stream lasted.
func (g *gate) listened(well bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if well {
		g.broken = 0
	} else {
		g.broken++
	}
}

// listening is the answer to the request for the stream. What asking again would
// not change is "there is none" to the MCP library, so that it does not.
func (g *gate) listening(req *http.Request, resp *http.Response) *http.Response {
	if resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream" {
		begin := time.Now()
		stream := g.newEvents(req.Context(), resp.Body, nil)
		stream.closed = func() { g.listened(time.Since(begin) >= listenMinimum) }
		resp.Body = stream
		return resp
	}
	f := newHTTPFailure(resp, readPage(resp))
	resp.Body = http.NoBody
	switch {
	case resp.StatusCode == http.StatusNotFound && req.Header.Get(transport.HeaderKeySessionID) != "": // the MCP library knows whether the session is meant
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests:
		g.log.Debug("no stream of notifications yet", "server", g.s.name, "err", f.Error())
		g.listened(false)
	default:
		g.log.Debug("the server has no stream of notifications", "server", g.s.name, "err", f.Error())
		resp.StatusCode = http.StatusMethodNotAllowed
		resp.Header.Del("Location")
	}
	return resp
}

// remote makes the transport for a URL. Old servers announce changes only on a
// stream of their own, which mcp-go allows in a legacy connection alone.
func (d dialer) remote(ctx context.Context, def config.Server, onlyLegacy bool, s *session) (transport.Interface, error) {
	origin, err := url.Parse(def.URL)
	if err != nil {
		return nil, err
	}
	log := slog.New(quiet{d.log.Handler()}).With("server", def.Name)
	g := &gate{
		next: d.http, auth: d.auth, origin: origin, headers: def.Headers, sse: def.Transport == config.SSE, max: d.maxLine,
		log: d.log, s: s, versioned: make(chan struct{}), pending: map[int64]*exchange{},
		requests: limiter{burst: maxReplies, every: 50 * time.Millisecond},
	}
	g.flood = throttle{what: "stream of notifications", notify: func() {
		d.log.Warn("the server floods its stream of notifications, so it is read more slowly", "server", def.Name)
		d.changed()
	}}
	s.gate = g
	if g.sse {
		if deadline, ok := ctx.Deadline(); ok && d.endpoint == 0 {
			d.endpoint = time.Until(deadline)
		}
		t, err := transport.NewSSE(def.URL, transport.WithHTTPClient(g.client()), transport.WithSSELogger(log),
			transport.WithEndpointTimeout(d.endpoint), transport.WithResponseTimeout(callCeiling))
		if err != nil {
			return nil, err
		}
		return sseTransport{t, s, g}, nil
	}
	options := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(g.client()), transport.WithHTTPLogger(log)}
	if onlyLegacy {
		//lint:ignore SA1019 servers of the older protocol still use it (MCP-3)
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(def.URL, options...)
	if err != nil {
		return nil, err
	}
	return httpTransport{t, s, g, !onlyLegacy}, nil
}

// quiet is the log of the MCP library's HTTP transports: what matters of it is in
// the errors of calls and in a server's state, so it is for who looks closer.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, _ slog.Level) bool {
	return q.Handler.Enabled(ctx, slog.LevelDebug)
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	short := slog.NewRecord(r.Time, slog.LevelDebug, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindAny || a.Value.Kind() == slog.KindString {
			a.Value = slog.StringValue(brief(a.Value.String()))
		}
		short.AddAttrs(a)
		return true
	})
	return q.Handler.Handle(ctx, short)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.Handler.WithGroup(name)} }
