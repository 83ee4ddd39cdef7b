package upstream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/environ"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// policy is when things are done again. Tests have a shorter one.
type policy struct {
	firstDelay  time.Duration // before the first restart; it doubles
	maxDelay    time.Duration
	maxRestarts int           // in a row, then a person has to restart it (MCP-5)
	stable      time.Duration // a session that lasted this long begins a new row
	debounce    time.Duration // after list_changed (POOL-4)
	minSession  time.Duration // a session forgotten sooner than this is a failure
	maxDebounce time.Duration // for a server that never stops saying it
}

var defaultPolicy = policy{
	firstDelay: 500 * time.Millisecond, maxDelay: 30 * time.Second, maxRestarts: 5, stable: time.Minute,
	debounce: 100 * time.Millisecond, maxDebounce: time.Second,
	minSession: time.Second,
}

// server is one configured server. Its goroutine, run, owns connect, refresh and
// close; everything else reads what it has published under mu.
type server struct {
	set  *Set
	def  config.Server // never changes
	hash string

	cancel  context.CancelFunc
	done    chan struct{} // closed when run has ended and nothing of it is left
	settled chan struct{} // closed at the first outcome
	// recalled is closed when what is known of last time is offered, if anything is.
	recalled chan struct{}
	once     sync.Once // closes settled

	mu      sync.Mutex
	shown   config.Server // def, at its present place in the file
	news    chan struct{} // closed, and made anew, when session or state changes
	state   State
	failure string
	// failures counts them; retry is when the next attempt begins after one, zero
	// when there is none.
	failures int
	retry    time.Time
	session  *session
	listed   *session        // the session whose tools are offered, once all know of them
	offer    *catalog.Server // what it offers: live, cached while connecting, or gone
	tools    []jsontext.Value
	stderr   *ring
}

// newServer makes a server that stands still in the given state.
func newServer(set *Set, def config.Server, state State, failure string) *server {
	s := &server{
		set: set, def: def, shown: def, hash: def.Hash(), state: state, failure: failure, stderr: new(ring), news: make(chan struct{}),
		cancel: func() {}, done: make(chan struct{}), settled: make(chan struct{}), recalled: make(chan struct{}),
	}
	if state != Connecting {
		close(s.done)
		close(s.recalled)
		s.once.Do(func() { close(s.settled) })
	}
	return s
}

// start runs the server after another one has ended, so that two of one name
// never run side by side.
func (s *server) start(ctx context.Context, after <-chan struct{}, recall *sync.WaitGroup) {
	ctx, s.cancel = context.WithCancel(ctx)
	recall.Add(1)
	go func() {
		defer close(s.done)
		defer s.once.Do(func() { close(s.settled) })
		memory := s.set.cache.load(s.hash)
		if memory != nil {
			s.publishCached(memory)
		}
		close(s.recalled)
		recall.Done()
		recall.Wait()
		if after != nil {
			<-after
		}
		s.run(ctx, memory != nil && memory.Protocol == legacy)
	}()
}

func (s *server) run(ctx context.Context, onlyLegacy bool) {
	p := s.set.policy
	delay, failures := p.firstDelay, 0
	for ctx.Err() == nil {
		attempt, stop := context.WithTimeout(ctx, s.set.limits().ConnectTimeout)
		session, err := s.set.dialer().connect(attempt, s.def, onlyLegacy, s.stderr)
		late := attempt.Err() != nil
		stop()
		if err == nil {
			connected := time.Now()
			s.publishSession(session)
			err = s.serve(ctx, session)
			if session.process == nil {
				session.drain(ctx)
			}
			session.close()
			if ctx.Err() == nil && errors.Is(err, errForgotten) && time.Since(connected) > p.minSession {
				s.publishReconnecting()
				continue
			}
			if time.Since(connected) >= p.stable {
				delay, failures = p.firstDelay, 0
			}
		} else if late && !onlyLegacy {
			// The probe may have been what it choked on.
			onlyLegacy = true
		}
		if ctx.Err() != nil {
			return
		}
		again := !neverStarted(err) && !errors.Is(err, errSelf) && failures < p.maxRestarts
		var retry time.Time
		if again {
			retry = time.Now().Add(delay)
		}
		s.publishFailure(err, retry)
		if !again {
			return
		}
		failures++
		if !wait(ctx, delay) {
			return
		}
		delay = min(2*delay, p.maxDelay)
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// serve follows a session until it ends, and says why.
func (s *server) serve(ctx context.Context, session *session) error {
	p := s.set.policy
	var first time.Time // of the notifications that wait
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-session.ended:
			why := session.why
			if why == errForgotten.Error() {
				return errForgotten
			}
			if line := s.stderr.tellingLine(); line != "" && session.process != nil {
				why += ": " + line
			}
			return errors.New(why)
		case <-session.changed:
			if first.IsZero() {
				first = time.Now()
			}
			timer.Reset(max(0, min(p.debounce, time.Until(first.Add(p.maxDebounce)))))
		case <-timer.C:
			first = time.Time{}
			s.refresh(ctx, session)
		}
	}
}

// refresh lists the tools again. When that fails, those that are known stay.
func (s *server) refresh(ctx context.Context, session *session) {
	ctx, cancel := context.WithTimeout(ctx, s.set.limits().ConnectTimeout)
	defer cancel()
	tools, err := session.listTools(ctx)
	if err == nil {
		s.publishTools(session, tools)
		return
	}
	select {
	case <-session.ended: // that is the news then
		return
	default:
	}
	if ctx.Err() == context.Canceled {
		return
	}
	s.set.log.Warn("cannot list the tools again", "server", s.def.Name, "err", err)
	s.mu.Lock()
	s.failure = err.Error()
	s.mu.Unlock()
	s.set.changed()
}

// publishCached offers the last known tools until the server has answered (LSP-1).
func (s *server) publishCached(memory *remembered) {
	tools := memory.raw()
	offer := catalog.NewServer(s.def.Name, tools, memory.Instructions, true)
	s.mu.Lock()
	s.tools, s.offer = tools, offer
	s.mu.Unlock()
	s.set.changed()
}

func (s *server) publishSession(session *session) {
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	s.publishTools(session, session.tools)
}

// publishTools puts a server's tools into the pool. A list that is the same as
// before keeps the value of before.
func (s *server) publishTools(session *session, tools []jsontext.Value) {
	// Only this goroutine writes these, so it may read them without the lock.
	if s.state == Connected && s.failure == "" && slices.EqualFunc(tools, s.tools, func(a, b jsontext.Value) bool { return string(a) == string(b) }) {
		return
	}
	offer := catalog.NewServer(s.def.Name, tools, session.instructions, false)
	s.mu.Lock()
	s.tools, s.offer = tools, offer
	s.state, s.failure = Connected, ""
	s.mu.Unlock()
	s.set.changed() // first: who waits looks at what has changed
	s.announce(session)
	memory := &remembered{Name: s.def.Name, Instructions: session.instructions, Tools: make([]string, len(tools))}
	for i, tool := range tools {
		memory.Tools[i] = string(tool)
	}
	if session.legacy && session.process != nil && s.def.Protocol != legacy {
		memory.Protocol = legacy
	}
	if err := s.set.cache.store(s.hash, memory); err != nil {
		s.set.log.Warn("cannot remember the tools", "server", s.def.Name, "err", err)
	}
	s.once.Do(func() { close(s.settled) })
}

// publishFailure takes a server's tools out of the pool (POOL-4). retry is when
// it is started again; zero is never.
func (s *server) publishFailure(err error, retry time.Time) {
	// Whoever shows Status tells the person; a second telling is for who looks closer.
	s.set.log.Info("server failed", "server", s.def.Name, "err", err, "restart", !retry.IsZero())
	s.mu.Lock()
	s.failures++
	s.retry = retry
	s.state, s.failure, s.session, s.tools = Failed, err.Error(), nil, nil
	if s.offer != nil && !s.offer.Gone {
		s.offer = s.offer.AsGone()
	}
	if errors.Is(err, errSelf) {
		s.state = Stopped
	}
	s.mu.Unlock()
	s.set.changed() // first: who waits looks at what has changed
	s.announce(nil)
	s.once.Do(func() { close(s.settled) })
}

// publishReconnecting keeps the tools while a new session is opened.
func (s *server) publishReconnecting() {
	s.mu.Lock()
	s.state, s.session = Connecting, nil
	s.mu.Unlock()
	s.set.changed()
	s.announce(nil)
}

// announce wakes those who wait for a change. listed is the session whose tools
// are in the pool now.
func (s *server) announce(listed *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = listed
	close(s.news)
	s.news = make(chan struct{})
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Server: s.shown, State: s.state, Error: s.failure, Stderr: s.stderr.String()}
	if s.offer != nil && !s.offer.Gone {
		st.Tools, st.Cached = len(s.offer.Tools), s.offer.Cached
	}
	if s.session != nil && s.session.process != nil {
		st.PID = s.session.process.cmd.Process.Pid
	}
	st.CodeMode = isCodeMode(s.tools)
	return st
}

// isSelf recognises a definition that would start this program's gateway (MCP-8).
func isSelf(def config.Server, executable string) bool {
	if def.Command == "" || executable == "" {
		return false
	}
	gateway := false
	for _, arg := range def.Args {
		if !strings.HasPrefix(arg, "-") {
			gateway = arg == "mcp"
			break
		}
	}
	if !gateway {
		return false
	}
	path, err := findExecutable(def.Command, def.Cwd, environ.Clean(os.Environ(), def.Env))
	if err != nil {
		return false
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(executable)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return true
	}
	// Another copy, such as the one that an editor's extension brings.
	return strings.TrimSuffix(filepath.Base(path), ".exe") == programName
}

// isCodeMode recognises a code-mode server: one tool that takes code (MCP-8).
func isCodeMode(tools []jsontext.Value) bool {
	if len(tools) != 1 {
		return false
	}
	var tool struct {
		InputSchema struct {
			Properties struct {
				Code   jsontext.Value `json:"code"`
				Script jsontext.Value `json:"script"`
			} `json:"properties"`
		} `json:"inputSchema"`
	}
	if jsonv2.Unmarshal(tools[0], &tool, tolerant...) != nil {
		return false
	}
	for _, property := range []jsontext.Value{tool.InputSchema.Properties.Code, tool.InputSchema.Properties.Script} {
		if stringOf(members(property)["type"]) == "string" {
			return true
		}
	}
	return false
}
