package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/internal/environ"
	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream/oauth"

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
	// calm is how long a server must announce nothing before an announcement is no
	// longer one of a row; maxPause is the longest pause in a row.
	calm, maxPause time.Duration
	minSession     time.Duration // a session forgotten sooner than this is a failure
	maxDebounce    time.Duration // for a server that never stops saying it
}

var defaultPolicy = policy{
	firstDelay: 500 * time.Millisecond, maxDelay: 30 * time.Second, maxRestarts: 5, stable: time.Minute,
	debounce: 100 * time.Millisecond, maxDebounce: time.Second,
	minSession: time.Second, calm: 10 * time.Second, maxPause: time.Minute,
}

// server is one configured server. Its goroutine, run, owns connect, refresh and
// close; everything else reads what it has published under mu.
type server struct {
	set  *Set
	def  config.Server // never changes
	hash string

	auth    *oauth.Client // nil: nobody signs in
	cancel  context.CancelFunc
	done    chan struct{} // closed when run has ended and nothing of it is left
	settled chan struct{} // closed at the first outcome
	// recalled is closed when what is known of last time is offered, if anything is.
	recalled chan struct{}
	once     sync.Once // closes settled
	// needed is closed by the first who needs the server; see Options.OnDemand.
	needed chan struct{}
	need   sync.Once // closes needed

	mu      sync.Mutex
	shown   config.Server // def, at its present place in the file
	news    chan struct{} // closed, and replaced, when session or state changes
	state   State
	failure string
	// demand is the sign-in for lack of which it has failed.
	demand *signInDemand
	// self: it is this program itself (MCP-8).
	self bool
	// incomplete is what was wrong with its list of tools, restless that it announces
	// new ones without end.
	incomplete, restless string
	// failures counts them; retry is when the next attempt begins after one, zero
	// when there is none.
	failures int
	retry    time.Time
	idle     bool // nothing has needed it yet
	last     Attempt
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
		auth: set.signInClient(def), cancel: func() {}, done: make(chan struct{}), settled: make(chan struct{}), recalled: make(chan struct{}),
		needed: make(chan struct{}), idle: state == Connecting && set.options.OnDemand,
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
		if s.set.options.OnDemand {
			select {
			case <-s.needed:
			case <-ctx.Done():
				return
			}
		}
		if after != nil {
			<-after
		}
		s.run(ctx, memory != nil && memory.Protocol == legacy)
	}()
}

// wake starts the server if it is idle.
func (s *server) wake() {
	s.need.Do(func() {
		s.mu.Lock()
		idle := s.idle
		s.idle = false
		s.mu.Unlock()
		close(s.needed)
		if idle {
			s.set.changed()
		}
	})
}

func (s *server) run(ctx context.Context, onlyLegacy bool) {
	p := s.set.policy
	delay, failures := p.firstDelay, 0
	var retired sync.WaitGroup // sessions over HTTP whose calls have not ended yet
	defer retired.Wait()
	for ctx.Err() == nil {
		start := time.Now()
		attempt, stop := context.WithTimeout(ctx, s.set.limits().ConnectTimeout)
		dialer := s.set.dialer()
		dialer.auth = s.auth
		session, err := dialer.connect(attempt, s.def, onlyLegacy, s.stderr)
		late := attempt.Err() != nil
		stop()
		if err == nil {
			connected := time.Now()
			s.publishSession(session)
			err = s.serve(ctx, session)
			if session.cutOff() {
				session.close()
			} else {
				retired.Go(func() {
					session.drain(ctx)
					session.close()
				})
			}
			if time.Since(connected) >= p.stable {
				delay, failures = p.firstDelay, 0
			}
			// The end of a session that worked is no failure of the server. One whose
			// stream ends again and again is connected to ever more seldom.
			if ctx.Err() == nil && time.Since(connected) > p.minSession {
				if errors.Is(err, errForgotten) {
					s.publishReconnecting()
					continue
				}
				if errors.As(err, new(lost)) {
					s.publishReconnecting()
					wait(ctx, delay)
					delay = min(2*delay, p.maxDelay)
					continue
				}
			}
		} else if late && !onlyLegacy {
			// The probe may have been what it choked on.
			onlyLegacy = true
		}
		if ctx.Err() != nil {
			return
		}
		again := !neverStarted(err) && !errors.Is(err, errSelf) && demandOf(err) == nil && failures < p.maxRestarts
		if session == nil && s.set.options.OnDemand {
			again = false
			s.keepFailure(Attempt{Failed: time.Now(), Failure: err.Error(), Slow: late || time.Since(start) > slowFailure}, late)
		}
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

// keepFailure keeps a failure for the next command, which need not wait for it again.
func (s *server) keepFailure(a Attempt, onlyLegacy bool) {
	if redact := s.set.options.Redact; redact != nil {
		a.Failure = redact(a.Failure)
	}
	a.Failure = plaintext.Line(a.Failure, maxKeptFailure)
	if err := s.set.cache.fail(s.hash, s.def, a, onlyLegacy); err != nil {
		s.set.log.Warn("cannot keep why the server failed", "server", s.def.Name, "err", err)
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
	var row announcements
	defer s.setRestless("")
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-session.ended:
			if session.process == nil || errors.Is(session.why, errForgotten) {
				return session.why
			}
			return errors.New(session.lastWords(session.why.Error()))
		case <-session.asked:
			s.refresh(ctx, session)
		case <-session.changed:
			now := time.Now()
			if first.IsZero() {
				first = now
				row.announced(now, p)
			}
			due := now.Add(min(p.debounce, first.Add(p.maxDebounce).Sub(now)))
			if next := row.listed.Add(row.pause(p)); next.After(due) {
				due = next
			}
			s.setRestless(row.note(p))
			timer.Reset(max(0, due.Sub(now)))
		case <-timer.C:
			first = time.Time{}
			row.answered(s.refresh(ctx, session))
		}
	}
}

// announcements are those of one server that came in a row: each soon after the
// tools had been listed. Whoever announces without end is asked ever more seldom
// (MCP-6).
type announcements struct {
	listed time.Time // when the tools were last listed
	row    int
	doubt  int // how often the pause doubles
}

// freeAnnouncements are those of a row that are followed at once, when there was
// something new each time.
const freeAnnouncements = 5

func (a *announcements) announced(now time.Time, p policy) {
	if a.listed.IsZero() || now.Sub(a.listed) > p.calm {
		a.row, a.doubt = 0, 0
	}
}

func (a *announcements) answered(changed bool) {
	a.listed = time.Now()
	if a.row++; !changed || a.row > freeAnnouncements {
		a.doubt++
	}
}

// pause is the least time between two listings.
func (a *announcements) pause(p policy) time.Duration {
	pause := p.debounce
	for range a.doubt {
		if pause *= 2; pause >= p.maxPause {
			return p.maxPause
		}
	}
	return pause
}

func (a *announcements) note(p policy) string {
	pause := a.pause(p)
	if pause < time.Second {
		return ""
	}
	return fmt.Sprintf("it announces new tools without end (%d times in a row): it is asked for them every %s only", a.row, pause.Round(time.Second))
}

// setRestless publishes that the server announces without end.
func (s *server) setRestless(note string) {
	s.mu.Lock()
	same := s.restless == note
	s.restless = note
	s.mu.Unlock()
	if !same {
		s.set.changed()
	}
}

// refresh lists the tools again, and reports whether they have changed. When that
// fails, those that are known remain.
func (s *server) refresh(ctx context.Context, session *session) (changed bool) {
	ctx, cancel := context.WithTimeout(ctx, s.set.limits().ConnectTimeout)
	defer cancel()
	tools, err := session.listTools(ctx)
	if err == nil {
		return s.publishTools(session, tools)
	}
	if session.hasEnded() || errors.Is(ctx.Err(), context.Canceled) { // that is the news then
		return false
	}
	s.set.log.Warn("cannot list the tools again", "server", s.def.Name, "err", err)
	s.mu.Lock()
	s.failure = err.Error()
	s.mu.Unlock()
	s.set.changed()
	return false
}

// publishCached offers the last known tools until the server has answered (LSP-1).
func (s *server) publishCached(memory *remembered) {
	var tools []jsontext.Value
	var offer *catalog.Server
	if !memory.Unlisted {
		tools = memory.raw()
		offer = catalog.NewServer(s.def.Name, tools, memory.Instructions, true)
	}
	s.mu.Lock()
	s.tools, s.offer, s.last = tools, offer, memory.attempt()
	s.mu.Unlock()
	s.set.changed()
}

func (s *server) publishSession(session *session) {
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	s.publishTools(session, session.tools)
}

// publishTools puts a server's tools into the pool, and reports whether they are
// other ones. A list that is the same as before keeps the value of before.
func (s *server) publishTools(session *session, list listing) bool {
	tools := list.tools
	// Only this goroutine writes these, so it may read them without the lock.
	same := s.state == Connected && slices.EqualFunc(tools, s.tools, func(a, b jsontext.Value) bool { return string(a) == string(b) })
	if same && s.failure == "" && s.incomplete == list.fault {
		return false
	}
	offer := s.offer
	if !same {
		offer = catalog.NewServer(s.def.Name, tools, session.instructions, false)
	}
	s.mu.Lock()
	s.tools, s.offer = tools, offer
	s.state, s.failure, s.incomplete, s.demand = Connected, "", list.fault, nil
	s.mu.Unlock()
	if list.fault != "" {
		s.set.log.Warn("the list of tools is incomplete", "server", s.def.Name, "fault", list.fault)
	}
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
	return !same
}

// publishFailure takes a server's tools out of the pool (POOL-4). retry is when
// it is started again; zero is never.
func (s *server) publishFailure(err error, retry time.Time) {
	// Whoever shows Status informs the person; the log is for who looks closer.
	s.set.log.Info("server failed", "server", s.def.Name, "err", err, "restart", !retry.IsZero())
	s.mu.Lock()
	s.failures++
	s.retry = retry
	s.demand = demandOf(err)
	s.state, s.failure, s.session, s.tools, s.incomplete = Failed, err.Error(), nil, nil, ""
	if s.offer != nil && !s.offer.Gone {
		s.offer = s.offer.AsGone()
	}
	if errors.Is(err, errSelf) {
		s.state, s.self = Stopped, true
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
	st := Status{Server: s.shown, State: s.state, Error: s.failure, Stderr: s.stderr.String(), Last: s.last}
	if s.idle {
		st.State = Idle
	}
	if s.offer != nil && !s.offer.Gone {
		st.Tools, st.Cached, st.LeftOut = len(s.offer.Tools), s.offer.Cached, s.offer.Problems
		if len(s.offer.Tools) == 1 { // those that cannot be used do not count
			st.CodeMode = isCodeMode([]jsontext.Value{s.offer.Tools[0].Raw()})
		}
	}
	if s.session != nil && s.session.process != nil {
		st.PID = s.session.process.pid
	}
	for _, fault := range []string{s.incomplete, s.restless} {
		if fault != "" {
			st.Faults = append(st.Faults, fault)
		}
	}
	if s.session != nil {
		st.Faults = append(st.Faults, s.session.faults()...)
	}
	st.Self = s.self
	st.SignedIn = s.auth != nil && s.auth.SignedIn()
	demand := s.demand
	if demand == nil && s.session != nil {
		demand = s.session.demand.Load()
	}
	if demand != nil {
		st.SignIn, st.Scopes = true, demand.missing
	}
	return st
}

// isSelf recognises a definition that starts this program as an MCP server (MCP-8).
func isSelf(def config.Server, executable string) bool {
	if def.Command == "" || executable == "" {
		return false
	}
	served := false
	for _, arg := range def.Args {
		if !strings.HasPrefix(arg, "-") {
			served = arg == "mcp"
			break
		}
	}
	if !served {
		return false
	}
	path, err := findExecutable(def.Command, def.Cwd, environ.Clean(os.Environ(), def.Env, def.Inherit...))
	if err != nil {
		return false
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(executable)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return true
	}
	// Another copy, such as the one that an editor's extension contains.
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
		if stringOf(part(property, "type")) == "string" {
			return true
		}
	}
	return false
}
