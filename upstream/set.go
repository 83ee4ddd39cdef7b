package upstream

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/upstream/oauth"
)

// Set is the configured servers and their connections. It is safe for
// concurrent use.
type Set struct {
	options    Options
	log        *slog.Logger
	cache      cache
	policy     policy
	executable string
	http       *http.Transport

	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	servers []*server // in order of configuration
	ending  []*server // no longer configured, perhaps not yet ended
	running processes
	memory  memory
	roots   []string
	closed  bool
}

// NewSet makes an empty set. Close must be called.
func NewSet(o Options) *Set {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Limits == (config.Limits{}) {
		o.Limits = config.DefaultLimits()
	}
	s := &Set{options: o, log: o.Log, cache: cache{o.CacheDir}, policy: defaultPolicy, http: newHTTP(), roots: slices.Clone(o.Roots)}
	if s.options.SignIns == nil {
		s.options.SignIns = oauth.NewStore("")
	}
	s.executable, _ = os.Executable()
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

func (s *Set) changed() {
	if s.options.Changed != nil {
		s.options.Changed()
	}
}

// SetLimits changes the time limits for what begins from now on.
func (s *Set) SetLimits(l config.Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Limits = l
}

func (s *Set) limits() config.Limits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.Limits
}

// SetRoots changes the workspace's folders and notifies the connected servers.
func (s *Set) SetRoots(roots []string) {
	s.mu.Lock()
	same := slices.Equal(s.roots, roots)
	s.roots = slices.Clone(roots)
	servers := slices.Clone(s.servers)
	s.mu.Unlock()
	if same {
		return
	}
	for _, server := range servers {
		server.mu.Lock()
		session := server.session
		server.mu.Unlock()
		if session != nil {
			session.rootsChanged()
		}
	}
}

func (s *Set) currentRoots() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.roots)
}

func (s *Set) dialer() dialer {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := dialer{
		log: s.log, version: s.options.Version, roots: s.currentRoots, running: &s.running,
		maxLine: maxMessage(s.options.Limits.MaxValueBytes), maxValue: s.options.Limits.MaxValueBytes,
		changed: s.changed, trim: s.memory.trim, http: s.http, asker: s.options.Asker,
	}
	if len(s.roots) > 0 {
		d.dir = s.roots[0]
	}
	return d
}

// Configure makes the set have exactly these servers: new and changed ones are
// started, missing ones stopped. It returns at once. trusted reports whether a
// definition may be started now.
func (s *Set) Configure(servers []config.Server, trusted func(config.Server) bool) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	old := map[string]*server{}
	for _, server := range s.servers {
		old[server.def.Name] = server
	}
	next := make([]*server, 0, len(servers))
	var recall sync.WaitGroup
	recall.Add(1) // none goes on before all are counted
	defer recall.Done()
	for _, def := range servers {
		state, failure := s.standing(def, trusted)
		self := state == Stopped && !def.Disabled
		before := old[def.Name]
		if before != nil && before.keeps(def, state, failure) {
			before.moveTo(def)
			next = append(next, before)
			delete(old, def.Name)
			continue
		}
		server := s.replace(before, def, state, failure, &recall)
		server.self = self
		next = append(next, server)
		delete(old, def.Name)
	}
	for _, gone := range old {
		gone.cancel()
		s.ending = append(s.ending, gone)
	}
	s.servers = next
	s.mu.Unlock()
	s.changed()
}

// standing is the state that a definition begins in, with the reason for
// anything but Connecting.
func (s *Set) standing(def config.Server, trusted func(config.Server) bool) (State, string) {
	switch {
	case def.Disabled:
		return Stopped, ""
	case def.Problem != "":
		return Failed, def.Problem
	case isSelf(def, s.executable):
		return Stopped, errSelf.Error()
	case trusted != nil && !trusted(def):
		return Untrusted, ""
	case len(def.NeedsInput) > 0: // asked for only when the server may be started
		return Failed, def.InputProblem()
	}
	return Connecting, ""
}

// keeps reports whether the server goes on as it is under a new configuration.
func (s *server) keeps(def config.Server, state State, failure string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hash != def.Hash() {
		return false
	}
	running := s.session != nil || s.state == Connecting || (s.state == Failed && s.def.Problem == "" && len(s.def.NeedsInput) == 0)
	if state == Connecting {
		return running || s.self
	}
	return !running && s.state == state && s.failure == failure
}

// moveTo takes over what is no part of a definition: its line in the file.
func (s *server) moveTo(def config.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = def
}

// replace stops a server, if there is one, and begins another. No process is
// started before all that begin together have recalled their tools: what is known
// already comes first (LSP-1). s.mu is held.
func (s *Set) replace(before *server, def config.Server, state State, failure string, recall *sync.WaitGroup) *server {
	var after <-chan struct{}
	if before != nil {
		before.cancel()
		s.ending = append(s.ending, before)
		after = before.done
	}
	s.ending = slices.DeleteFunc(s.ending, func(e *server) bool {
		select {
		case <-e.done:
			return true
		default:
			// One of that name that was configured earlier may still be ending.
			if e != before && e.def.Name == def.Name && after == nil {
				after = e.done
			}
			return false
		}
	})
	server := newServer(s, def, state, failure)
	if state == Connecting {
		server.start(s.ctx, after, recall)
	}
	return server
}

// Restart stops and starts one server.
func (s *Set) Restart(name string) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.servers, func(server *server) bool { return server.def.Name == name })
	if i < 0 || s.closed {
		s.mu.Unlock()
		return fmt.Errorf("there is no server %q", name)
	}
	before := s.servers[i]
	before.mu.Lock()
	state, failure := before.state, before.failure
	startable := state == Connecting || state == Connected || (state == Failed && before.def.Problem == "" && len(before.def.NeedsInput) == 0)
	before.mu.Unlock()
	if !startable {
		s.mu.Unlock()
		if failure != "" {
			return fmt.Errorf("server %q cannot be started: %s", name, failure)
		}
		return fmt.Errorf("server %q cannot be started: it is %s", name, state)
	}
	s.servers[i] = s.replace(before, before.def, Connecting, "", new(sync.WaitGroup))
	s.mu.Unlock()
	s.changed()
	return nil
}

// Refresh has the connected servers list their tools again, as if each had said
// that they have changed.
func (s *Set) Refresh() {
	for _, server := range s.snapshot() {
		server.mu.Lock()
		session := server.session
		server.mu.Unlock()
		if session != nil {
			session.list()
		}
	}
}

func (s *Set) snapshot() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.servers)
}

func (s *Set) find(name string) *server {
	for _, server := range s.snapshot() {
		if server.def.Name == name {
			return server
		}
	}
	return nil
}

// Servers is what the pool is made of now, in order of configuration: connected
// servers, cached tools of those that have not answered yet, and as Gone those
// that have failed and whose tools are known (POOL-4).
func (s *Set) Servers() []*catalog.Server {
	var offers []*catalog.Server
	for _, server := range s.snapshot() {
		server.mu.Lock()
		if server.offer != nil {
			offers = append(offers, server.offer)
		}
		server.mu.Unlock()
	}
	return offers
}

// Status of every configured server, in order of configuration.
func (s *Set) Status() []Status {
	servers := s.snapshot()
	list := make([]Status, len(servers))
	for i, server := range servers {
		list[i] = server.status()
	}
	return list
}

// Recalled waits until the tools that are known of last time are offered (LSP-1).
// It reads files and waits for no server.
func (s *Set) Recalled(ctx context.Context) error {
	for _, server := range s.snapshot() {
		select {
		case <-server.recalled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Ready starts the idle servers that start names (Options.OnDemand), all at the same
// time, and waits until those of them that await names have connected or failed.
func (s *Set) Ready(ctx context.Context, start, await func(Status) bool) error {
	if err := s.Recalled(ctx); err != nil {
		return err
	}
	var awaited []*server
	for _, server := range s.snapshot() {
		st := server.status()
		if st.State != Idle || !start(st) {
			continue
		}
		if await(st) {
			awaited = append(awaited, server)
		}
		server.wake()
	}
	for _, server := range awaited {
		select {
		case <-server.settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Settled waits until every server has connected or failed once, or ctx ends.
func (s *Set) Settled(ctx context.Context) error {
	for {
		servers := s.snapshot()
		for _, server := range servers {
			select {
			case <-server.settled:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if slices.Equal(servers, s.snapshot()) {
			return nil
		}
	}
}

// Close ends every session, process and child process, and waits.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	servers := slices.Concat(s.servers, s.ending)
	s.servers, s.ending = nil, nil
	s.mu.Unlock()
	s.cancel()
	for _, server := range servers {
		<-server.done
	}
	s.running.end()
	s.memory.stop()
	s.http.CloseIdleConnections()
}

// Kill ends every stdio server by force and waits for nothing: for a program that
// ends at once. No server starts after it.
func (s *Set) Kill() { s.running.kill() }
