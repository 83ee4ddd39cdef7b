package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"codemode-ls/config"
	"codemode-ls/upstream/oauth"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// errForgotten ends a session that the server does not know any more; a new one
// is opened at once.
var errForgotten = errors.New("the server has forgotten the session")

// programName is what this program calls itself to servers. A server of that name
// is this program (MCP-8).
const programName = "codemode-ls"

// probeTimeout bounds the probe for a newer protocol version. A server that
// ignores unknown methods costs this much.
const probeTimeout = 1500 * time.Millisecond

const legacy = "legacy"

// errSelf is the error of a server that is this program itself.
var errSelf = errors.New("this server is codemode-ls itself, so it is not connected")

// errStopped ends a session that we close.
var errStopped = errors.New("it was stopped")

// session is one connection to a server, from its start to its end.
type session struct {
	name         string
	url          string
	client       *client.Client
	process      *process        // nil for HTTP
	wire         *stdioTransport // nil for HTTP
	stderr       *ring           // of the process
	spill        *spill          // what fills it, nil for HTTP
	gate         *gate           // of HTTP, nil for a process
	stream       bool            // of the old transport of HTTP, whose session ends with its stream
	trim         func()          // gives memory back, soon
	reconsider   func()          // its status is another one
	legacy       bool            // connected without the probe
	modern       bool            // speaks 2026-07-28 or newer
	instructions string
	tools        listing
	maxValue     int // bytes of a value

	// changed has a value when the server has said that its tools changed.
	// Handlers run on the transport's read loop and may only signal.
	changed chan struct{}
	asked   chan struct{}   // has a value when a person wants the tools listed again
	ended   <-chan struct{} // closed once the session is of no more use
	life    context.Context // done when ended is closed
	finish  context.CancelFunc
	endOnce sync.Once
	why     error // why it ended, valid after ended

	log     *slog.Logger
	records limiter // of what it logs

	mu           sync.Mutex
	progress     map[string]*reporter // by token; guards the reporters too
	token        int
	demand       atomic.Pointer[signInDemand] // the last one of the server
	withoutRoots bool                         // it is not offered the workspace's folders

	asker     Asker // nil: nobody answers questions of the server
	asking    map[*heldCall]bool
	questions int // that are open
	opened    []*openQuestion
	params    map[string]jsontext.Value // of questions that have come, by id
	calls     int                       // that wait for their answers
	idle      chan struct{}             // closed when there are none; nil when nobody waits for it

	ctx        context.Context // until the session is closed
	cancel     context.CancelFunc
	background sync.WaitGroup
}

type progress struct {
	progress, total float64
	message         string
}

// dialer has what every connection needs.
type dialer struct {
	log      *slog.Logger
	version  string
	dir      string // where servers run when their definition says nothing
	roots    func() []string
	running  *processes
	http     http.RoundTripper
	maxLine  int
	maxValue int
	changed  func() // a server's state has changed
	auth     *oauth.Client
	asker    Asker
	trim     func()
	// endpoint is how long a server of the old transport may take to name its
	// endpoint; 0 is as long as connecting may take.
	endpoint time.Duration
}

// connect starts the server or connects to it, and lists its tools. ctx bounds
// all of it; the session outlives ctx. It tries the newest protocol first. When the
// probe kills a process, it is started again without: a server may end at the first
// message that it does not know.
func (d dialer) connect(ctx context.Context, def config.Server, onlyLegacy bool, stderr *ring) (*session, error) {
	onlyLegacy = onlyLegacy || def.Protocol == legacy || def.Transport == config.SSE
	s, err := d.dial(ctx, def, onlyLegacy, stderr)
	if err == nil || ctx.Err() != nil || errors.Is(err, errSelf) || neverStarted(err) || demandOf(err) != nil {
		return s, err
	}
	if !onlyLegacy {
		d.log.Debug("connecting again without the probe for newer protocol versions", "server", def.Name, "err", err)
		if s, err = d.dial(ctx, def, true, stderr); err == nil {
			return s, nil
		}
	}
	if refused := (*httpFailure)(nil); def.Transport == config.HTTP && errors.As(err, &refused) && refused.perhapsOld() && ctx.Err() == nil {
		// The backwards compatibility of the MCP specification: a server that takes no
		// initialize may be one of the old transport, which opens a stream.
		def.Transport = config.SSE
		d.endpoint = fallbackTimeout
		if old, failure := d.dial(ctx, def, true, stderr); failure == nil {
			return old, nil
		} else {
			d.log.Debug("it is no server of the old transport either", "server", def.Name, "err", failure)
		}
	}
	return nil, err
}

// fallbackTimeout is how long a server that may be one of the old transport has to
// name its endpoint.
const fallbackTimeout = 5 * time.Second

// startError is a program that could not be started at all.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

func neverStarted(err error) bool { return errors.As(err, new(startError)) }

func (d dialer) dial(ctx context.Context, def config.Server, onlyLegacy bool, stderr *ring) (_ *session, err error) {
	s := &session{
		name: def.Name, url: def.URL, legacy: onlyLegacy, changed: make(chan struct{}, 1), asked: make(chan struct{}, 1),
		progress: map[string]*reporter{}, stderr: stderr, trim: d.trim, maxValue: d.maxValue, reconsider: d.changed,
		asker: d.asker, asking: map[*heldCall]bool{}, params: map[string]jsontext.Value{},
		withoutRoots: def.WithoutRoots,
		log:          d.log, records: limiter{burst: 50, every: 100 * time.Millisecond},
	}
	s.life, s.finish = context.WithCancel(context.Background())
	s.ended = s.life.Done()
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	stderr.reset()
	var t transport.Interface
	switch def.Transport {
	case config.HTTP, config.SSE:
		s.stream = def.Transport == config.SSE
		t, err = d.remote(ctx, def, onlyLegacy, s)
	default:
		s.spill = &spill{ring: stderr, ctx: s.ctx, throttle: throttle{what: "standard error", notify: d.changed}}
		if s.process, err = d.running.start(def, d.dir, s.spill); err == nil {
			if err = s.process.awaitStart(ctx); err != nil {
				s.process.stop()
				err = fmt.Errorf("start %s: %w", def.Command, err)
				break
			}
			s.wire = newStdioTransport(s, s.process.stdout, s.process.stdin, d.maxLine, d.log, d.changed)
			t = s.wire
		}
	}
	if err != nil {
		s.cancel()
		return nil, startError{errors.New(s.redact(err.Error()))}
	}
	options := []client.ClientOption{client.WithDiscoverTimeout(probeTimeout)}
	if !def.WithoutRoots {
		options = append(options, client.WithRootsHandler(rootsHandler(d.roots)))
	}
	if onlyLegacy {
		//lint:ignore SA1019 most servers speak nothing newer (MCP-3)
		options = append(options, client.WithLegacyProtocolOnly())
	}
	if s.asker != nil {
		options = append(options, client.WithElicitationHandler(inputOfResult{s}), client.WithClientCapabilities(mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
		}))
	}
	s.client = client.NewClient(t, options...)
	s.client.OnNotification(s.notified)
	s.client.OnConnectionLost(func(err error) {
		if errors.Is(err, io.EOF) {
			err = errors.New("the server closed its event stream")
		}
		s.end(lost{err})
	})

	if err := s.start(ctx); err != nil {
		s.close()
		return nil, err
	}
	if s.process != nil {
		s.background.Go(s.watch)
	}
	if err := s.open(ctx, d.version); err != nil {
		failure := s.failure(ctx, err)
		if ctx.Err() != nil && downloads(def.Command) {
			failure = fmt.Errorf("%w; %s may still have been downloading it: run the command once by itself, or raise mcp.connectTimeoutMs", failure, filepath.Base(def.Command))
		}
		s.close()
		return nil, failure
	}
	if s.modern {
		s.background.Go(func() { s.listen(d.log) })
	}
	return s, nil
}

// start opens the transport. The old one waits there for the first event, and ends
// with its stream.
func (s *session) start(ctx context.Context) error {
	var x exchange
	own := s.ctx
	if s.stream {
		own = context.WithValue(own, exchangeKey{}, &x)
		defer context.AfterFunc(ctx, s.cancel)()
		context.AfterFunc(s.life, s.cancel)
	}
	err := s.client.Start(own)
	switch f := x.failure.Load(); {
	case err == nil:
		return nil
	case f != nil:
		return s.explain(f)
	case s.hasEnded():
		return s.explain(s.why)
	}
	return s.failure(ctx, err)
}

// watch notices the end of the process, or of its output.
func (s *session) watch() {
	select {
	case <-s.process.exited:
	case <-s.wire.ended:
		if s.wire.reason() != nil || !s.process.within(drainGrace) {
			s.end(s.silence())
			return
		}
	}
	s.end(errors.New(s.process.state))
}

// silence says why a process that still runs is read no longer.
func (s *session) silence() error {
	if reason := s.wire.reason(); reason != nil {
		return reason
	}
	return errors.New("it closed its output")
}

// lastWords are how a process ended, with all that it said at the end: what names
// the failure first, then the whole (MCP-3).
func (s *session) lastWords(state string) string {
	said := strings.TrimRight(s.stderr.String(), " \t\r\n")
	if s.wire != nil {
		if lines := s.wire.strayLines(); len(lines) > 0 {
			said = strings.TrimLeft(said+"\nOn its standard output:\n"+strings.Join(lines, "\n"), "\n")
		}
	}
	line := TellingLine(said)
	if line == "" {
		return state
	}
	state += ": " + line
	if whole := tail(said, maxLastWords); strings.TrimSpace(whole) != line {
		state += "\n" + whole
	}
	return state
}

// listen asks a server for the notifications that newer protocol versions send
// only on request, again when the stream ends.
func (s *session) listen(log *slog.Logger) {
	for delay := time.Second; ; delay = min(2*delay, time.Minute) {
		err := s.client.Listen(s.ctx, mcp.SubscriptionFilter{ToolsListChanged: true})
		if s.ctx.Err() != nil || errors.Is(err, transport.ErrTransportClosed) {
			return
		}
		log.Debug("the stream of notifications ended", "server", s.name, "err", err)
		if !wait(s.ctx, delay) {
			return
		}
		// What was announced meanwhile is not known.
		s.signalChanged()
	}
}

// open introduces us and lists the tools.
func (s *session) open(ctx context.Context, version string) error {
	var request mcp.InitializeRequest
	request.Params.ClientInfo = mcp.Implementation{Name: programName, Title: "Code Mode", Version: version}
	ctx, tap := tapped(ctx)
	info, err := s.client.Initialize(ctx, request)
	if err != nil {
		if tap.fault != nil {
			return fmt.Errorf("the server refused to initialize: %s", faultMessage(tap.fault))
		}
		return err
	}
	if info.ServerInfo.Name == programName {
		return errSelf
	}
	s.instructions, s.modern = info.Instructions, mcp.IsModernProtocol(info.ProtocolVersion)
	s.tools, err = s.listTools(ctx)
	return err
}

// downloads reports whether a command fetches the program that it runs.
func downloads(command string) bool {
	name, _, _ := strings.Cut(strings.ToLower(filepath.Base(command)), ".") // npx.cmd
	return slices.Contains([]string{"npx", "bunx", "pnpx", "pnpm", "yarn", "uvx", "uv", "pipx", "docker", "podman", "deno"}, name)
}

// failure explains why connecting failed.
func (s *session) failure(ctx context.Context, err error) error {
	if errors.Is(err, errSelf) {
		return err
	}
	if s.process != nil {
		if reason := s.wire.reason(); reason != nil {
			return reason
		}
		// Whoever reads or writes notices the end a little before the process is known
		// to have ended.
		if (errors.Is(err, transport.ErrTransportClosed) || s.process.stdin.broken()) && s.process.within(drainGrace) {
			return errors.New(s.lastWords(s.process.state + " before it had answered"))
		}
	}
	if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		const late = "the server did not answer in time (mcp.connectTimeoutMs)"
		if s.process != nil {
			return errors.New(s.lastWords(late))
		}
		return errors.New(late)
	}
	return s.explain(err)
}

// explained is an error as text for a person.
type explained struct {
	words string
	error
}

func (e explained) Error() string { return e.words }
func (e explained) Unwrap() error { return e.error }

// explain says what went wrong over HTTP: the first error of the chain that is not a
// wrapper, without what may be secret, bounded (OUT-3).
func (s *session) explain(err error) error {
	words := err.Error()
	var f *httpFailure
	var u *url.Error
	switch {
	case errors.As(err, &f):
		words = f.Error()
	case errors.As(err, &u):
		words = u.Err.Error()
		if errors.Is(u.Err, io.EOF) || errors.Is(u.Err, syscall.ECONNRESET) {
			words = "the connection was cut before the server had answered (" + words + ")"
		}
	default:
		words = strings.TrimPrefix(words, "transport error: ")
	}
	return explained{brief(s.redact(words)), err}
}

// lost is the end of the old transport's stream, which may be opened again.
type lost struct{ error }

func (l lost) Error() string { return "the connection was lost: " + l.error.Error() }
func (l lost) Unwrap() error { return l.error }

// redact takes what may be secret out of a message: the path and the query of
// the server's URL.
func (s *session) redact(message string) string {
	u, err := url.Parse(s.url)
	if s.url == "" || err != nil {
		return message
	}
	short := u.Scheme + "://" + u.Host + "/…"
	message = strings.ReplaceAll(message, s.url, short)
	return strings.ReplaceAll(message, u.Redacted(), short)
}

// notified runs on the transport's read loop.
func (s *session) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case string(mcp.MethodNotificationToolsListChanged):
		s.signalChanged()
	case string(mcp.MethodNotificationMessage):
		s.logged(n.Params.AdditionalFields)
	case "notifications/progress":
		fields := n.Params.AdditionalFields
		var p progress
		p.progress, _ = fields["progress"].(float64)
		p.total, _ = fields["total"].(float64)
		p.message, _ = fields["message"].(string)
		s.mu.Lock()
		defer s.mu.Unlock()
		if r := s.progress[fmt.Sprint(fields["progressToken"])]; r != nil {
			r.put(p)
		}
	}
}

func (s *session) signalChanged() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// list has the tools listed again, at once.
func (s *session) list() {
	select {
	case s.asked <- struct{}{}:
	default:
	}
}

// A reporter reports one call's progress, in order. Most calls have none: it
// costs something with the first.
type reporter struct {
	report func(progress)
	events chan progress // nil before the first
	worker sync.WaitGroup
}

func (r *reporter) put(p progress) {
	if r.events == nil {
		events := make(chan progress, 64)
		r.events = events
		r.worker.Go(func() {
			for p := range events {
				r.report(p)
			}
		})
	}
	select {
	case r.events <- p:
	default: // nobody is helped by old progress
	}
}

// expectProgress gives out a token for one call's progress. release waits until
// all of it is reported; it may be called again.
func (s *session) expectProgress(report func(progress)) (token string, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token++
	token = fmt.Sprintf("%s-%d", programName, s.token)
	r := &reporter{report: report}
	s.progress[token] = r
	return token, func() {
		s.mu.Lock()
		_, open := s.progress[token]
		delete(s.progress, token)
		if open && r.events != nil {
			close(r.events)
		}
		s.mu.Unlock()
		r.worker.Wait()
	}
}

// end marks the session as of no more use; close still has to be called.
func (s *session) end(why error) {
	s.endOnce.Do(func() {
		s.why = why
		s.finish()
	})
}

func (s *session) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// begin counts a call until done is called.
func (s *session) begin() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.calls--; s.calls == 0 && s.idle != nil {
			close(s.idle)
			s.idle = nil
		}
	}
}

// drain waits until the calls of a session over HTTP that is of no more use have
// their answers, which still come: one of them has seen that the server has
// forgotten it, or that it takes no new connections. Cut off, they could not be made
// again.
func (s *session) drain(ctx context.Context) {
	s.mu.Lock()
	if s.calls == 0 {
		s.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	s.idle = idle
	s.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// cutOff reports whether what is under way ends with the session.
func (s *session) cutOff() bool { return s.process != nil || s.stream }

// close ends the session, its process and its children, and waits.
func (s *session) close() {
	s.end(errStopped)
	s.mu.Lock() // nothing of rootsChanged begins behind it
	s.cancel()
	s.mu.Unlock()
	if s.process != nil {
		// First the process, in its own good order: the client would only cut it off.
		s.process.stop()
	}
	_ = s.client.Close()
	s.background.Wait()
}

// inBackground does work that close waits for, unless it has started.
func (s *session) inBackground(work func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		s.background.Go(work)
	}
}

// rootsChanged notifies the server, without waiting for it.
func (s *session) rootsChanged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || s.withoutRoots {
		return
	}
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		defer cancel()
		_ = s.client.RootListChanges(ctx)
	})
}

// rootsHandler answers roots/list with the workspace's folders (MCP-6).
type rootsHandler func() []string

func (h rootsHandler) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	result := &mcp.ListRootsResult{Roots: []mcp.Root{}}
	for _, folder := range h() {
		result.Roots = append(result.Roots, mcp.Root{URI: fileURI(folder), Name: filepath.Base(folder)})
	}
	return result, nil
}

// fileURI of an absolute path, drive letters included.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
