package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/exec/audit"
	"codemode-ls/internal/redact"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/upstream/oauth"

	"github.com/go-json-experiment/json/jsontext"
)

// Options of a workspace.
type Options struct {
	Sources config.Sources
	// Recordings are --tools files or folders: the pool is made of them and no
	// server is started (CLI-7).
	Recordings []string
	// Offline starts no server: a replay needs none (REC-1).
	Offline bool
	// Restricted starts no server, whoever has approved it: nobody vouches for the
	// folders (VSC-7).
	Restricted bool
	// Only, when set, is the one server that is used.
	Only string
	// OnDemand starts a server only when a call or Ready needs it; its tools are those
	// that are kept of last time.
	OnDemand bool
	// ConnectTimeout is used in place of the setting, unless it is 0.
	ConnectTimeout time.Duration
	// DemoWhenEmpty uses the built-in demo server when nothing is configured
	// (CLI-1).
	DemoWhenEmpty bool
	// Allow and Deny are rules from flags.
	Allow, Deny []string
	CacheDir    string // cached tools, artifacts; "" keeps nothing
	StateDir    string // the audit log, sign-ins without a keyring; "" keeps none
	Log         *slog.Logger
	// Redact receives the secrets of the configuration; Log should go through it. nil:
	// the workspace has one of its own, and puts it before Log.
	Redact *redact.Redactor
	// Tracer takes spans (OBS-3), nil none. The workspace closes it.
	Tracer  *telemetry.Tracer
	Version string
	Check   exec.Checker
	// Changed is called, from any goroutine, when something of the workspace has
	// changed; it must return at once. Call Snapshot for what is new.
	Changed func()
	// WarmSandboxes is how many sandbox children wait ready.
	WarmSandboxes int
	// Asker answers what servers ask during calls; nil: nobody does.
	Asker upstream.Asker
	// Models: whoever runs scripts offers models to them (exec.Request.Models), so
	// that the types have the members for them.
	Models bool
}

// Snapshot is everything that holds at one moment. It never changes.
type Snapshot struct {
	Config  *config.Config
	Catalog *catalog.Catalog
	Rules   *permission.Rules
	Servers []upstream.Status
	// Listed are the servers with all tools that they have listed, whatever rules and
	// settings keep out of the catalog.
	Listed []*catalog.Server
	// Problems are broken rule files, and hooks before calls that cannot be read.
	// Every call is asked for while there are any.
	Problems []permission.Problem
	// ResultProblems are types of results that people wrote and that nothing comes of.
	ResultProblems []permission.Problem
	// UndecidedHooks are hooks of the workspace's files that wait for an approval.
	UndecidedHooks []config.Hook
	// Scripts are those that agents are offered as tools, if they have an input;
	// UndecidedScripts are those of the workspace that wait for an approval.
	Scripts, UndecidedScripts []config.Script
	// UsesDemo: nothing was configured, the demo server stands in.
	UsesDemo bool

	onDemand bool // kept lists of tools count as those of the servers
}

// Workspace is open until Close.
type Workspace struct {
	o       Options
	log     *slog.Logger
	redact  *redact.Redactor
	known   secrets
	hiding  sync.Mutex    // of redact's secrets
	audit   *audit.Log    // nil: none is kept
	trust   *config.Trust // nil: there is no place to keep approvals
	store   *permission.Store
	set     *upstream.Set
	boxes   *sandbox.Pool
	runner  *exec.Runner
	results *results
	written written
	scripts scripts

	wake    chan struct{} // capacity 1: something may have changed
	changes atomic.Uint64 // counts what may have changed
	stop    context.CancelFunc
	owner   sync.WaitGroup

	configuring sync.Mutex // held while reading the configuration
	closed      bool       // guarded by configuring

	mu      sync.Mutex // guards what follows
	loaded  loaded
	seen    uint64 // the value of changes that current is made of
	current *Snapshot
	// known are types of results for the state of things that resultsKey stands for.
	knownTypes *catalog.Results
	resultsKey string
	// recording has the paths that runs are being recorded to.
	recording map[string]bool
}

// loaded is what was read from the configuration the last time.
type loaded struct {
	sources  config.Sources
	config   *config.Config
	servers  []config.Server   // that are configured, the demo server included
	used     []config.Server   // that may be started: see choose
	waiting  []config.Server   // of the workspace, not approved, with the name of one in use
	recorded []*catalog.Server // of recordings
	exclude  *permission.Rules // denies what is excluded
	usesDemo bool
	// definitions stand for the definitions of servers, by configured name.
	definitions map[string]string
	generation  int // counts configurations that were read
}

// Open reads the configuration and starts servers in the background; it
// returns at once. ctx is for its values: what Open starts lives until Close.
func Open(ctx context.Context, o Options) *Workspace {
	w := &Workspace{o: o, log: o.Log, wake: make(chan struct{}, 1)}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.redact = o.Redact; w.redact == nil {
		w.redact = new(redact.Redactor)
		w.log = slog.New(w.redact.Handler(w.log.Handler()))
	}
	if o.Sources.UserDir != "" {
		trust, err := config.OpenTrust(o.Sources.UserDir)
		if err != nil {
			w.log.Error("approvals not read; no server of a workspace file is approved", "err", err)
		}
		w.trust = trust
	}
	w.loaded.sources = o.Sources
	w.store = permission.OpenStore(permission.StoreOptions{
		UserDir: o.Sources.UserDir, Folder: firstFolder(o.Sources.Folders), Fixed: w.flagRules(), Changed: w.changed,
	})
	first := w.load(o.Sources)
	w.set = upstream.NewSet(upstream.Options{
		Log: w.log, CacheDir: o.CacheDir, Roots: o.Sources.Folders, Limits: first.config.Limits,
		Changed: w.changed, Version: o.Version, Asker: o.Asker, SignIns: signIns(o.StateDir), Secret: w.secret,
		OnDemand: o.OnDemand, Redact: w.redact.Text,
	})
	w.boxes = sandbox.NewPool(sandbox.Options{
		MaxRuns: first.config.Limits.MaxRuns, MemoryMB: first.config.Limits.MemoryMB, Log: w.log,
	})
	w.results = newResults(o.CacheDir, w.log)
	w.runner = &exec.Runner{
		Sandbox: w.boxes, Caller: w.set, Rules: w.store, Check: o.Check, Log: w.log,
		Pool:            func() *catalog.Catalog { return w.refresh().Catalog },
		Limits:          func() config.Limits { return w.settings().Limits },
		ReadOnlyAllowed: w.readOnlyAllowed,
		ToolTimeout: func(t *catalog.Tool) time.Duration {
			timeouts := w.settings().ToolTimeouts
			return cmp.Or(timeouts[t.Name], timeouts[t.Server])
		},
		Together: func(server string) bool { return slices.Contains(w.settings().Together, server) },
	}
	w.runner.Folders, w.runner.Await = w.folders, w.await
	w.runner.Hooks, w.runner.Redact, w.runner.Tracer = w.hooks, w.redact, o.Tracer
	if o.StateDir != "" {
		w.audit = audit.Open(filepath.Join(o.StateDir, "audit.jsonl"), audit.Options{})
		w.runner.Audit = w.audit
	}
	w.runner.Observe = w.observe
	w.runner.Script = func(name string) (string, script.Language, bool) {
		s, ok := w.refresh().Script(name)
		language, _ := script.LanguageOf(s.File)
		return s.Text, language, ok
	}
	if o.CacheDir != "" {
		w.runner.ArtifactDir = filepath.Join(o.CacheDir, "artifacts")
		w.runner.ScratchDir = filepath.Join(o.CacheDir, "scratch", workspaceID(o.Sources.Folders))
	}
	w.configuring.Lock()
	w.use(first)
	w.configuring.Unlock()
	w.readScripts()
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	last := w.refresh()
	w.owner.Go(func() { w.follow(ctx, last) })
	w.owner.Go(func() { w.results.learnAll(ctx, w.changed) })
	w.owner.Go(func() {
		if w.set.Recalled(ctx) == nil { // who opens an editor looks at tools before running anything
			w.boxes.Warm(o.WarmSandboxes)
		}
	})
	w.owner.Go(w.runner.CleanArtifacts)
	return w
}

// changed is called, under locks of others, when servers or rules have changed.
func (w *Workspace) changed() {
	w.changes.Add(1)
	select {
	case w.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// lookEvery is how often it is looked whether others have changed what is known of
// results, or scripts that are tools: another process, or a person in a file.
const lookEvery = time.Second

// follow reports changes.
func (w *Workspace) follow(ctx context.Context, last *Snapshot) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if other, own, scripts := w.results.reload(), w.readWritten(), w.readScripts(); !other && !own && !scripts {
				continue
			}
			w.changes.Add(1)
		case <-w.wake:
		}
		now := w.refresh()
		if now != last && w.o.Changed != nil {
			w.o.Changed()
		}
		last = now
		w.pinApproved(now)
		w.results.save(false)
	}
}

// settings are the present configuration. Unlike refresh they look at no file,
// and every call asks for them several times (PERF-2).
func (w *Workspace) settings() *config.Config {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loaded.config
}

// Snapshot is the present state: an immutable value, cheap to get.
func (w *Workspace) Snapshot() *Snapshot { return w.refresh() }

// Settled waits until every startable server has connected or failed once.
func (w *Workspace) Settled(ctx context.Context) error { return w.set.Settled(ctx) }

// Ready starts the servers that start names (Options.OnDemand), all at the same time,
// and waits until those of them that await names have connected or failed.
func (w *Workspace) Ready(ctx context.Context, start, await func(upstream.Status) bool) error {
	return w.set.Ready(ctx, start, await)
}

// RenewLists lists the tools of the servers whose kept lists are old, and keeps them
// for the next program (Options.OnDemand).
func (w *Workspace) RenewLists(ctx context.Context) error { return w.set.RenewLists(ctx) }

// Recalled waits until the tools that are known of last time are in the pool
// (LSP-1); it waits for no server.
func (w *Workspace) Recalled(ctx context.Context) error { return w.set.Recalled(ctx) }

// await waits for the servers that can have a tool which the pool does not have,
// or only from last time. A tool that is kept out of the pool is waited for in
// vain, so that it is not at all.
func (w *Workspace) await(fullName string) (wait func(context.Context) error, unavailable error) {
	w.mu.Lock()
	recorded, exclude := len(w.o.Recordings) > 0, w.loaded.exclude
	w.mu.Unlock()
	for _, rules := range []*permission.Rules{exclude, w.store.Rules()} {
		if recorded || rules.Decide(fullName).Effect == permission.Deny {
			return nil, nil
		}
	}
	wait, unavailable = w.set.Await(fullName)
	if wait != nil {
		bare := wait
		wait = func(ctx context.Context) error { return w.refusal(bare(ctx)) }
	}
	return wait, w.refusal(unavailable)
}

// refusal says of a server that is not approved when that is because a person has
// refused it, which the set does not know.
func (w *Workspace) refusal(unavailable error) error {
	var call *upstream.CallError
	if !errors.As(unavailable, &call) {
		return unavailable
	}
	w.mu.Lock()
	used, always := w.loaded.used, w.loaded.config.TrustWorkspace
	w.mu.Unlock()
	i := slices.IndexFunc(used, func(s config.Server) bool { return s.Name == call.Server })
	if i < 0 || always || w.verdict(used[i]) != config.Refused {
		return unavailable
	}
	return &upstream.CallError{Reason: call.Reason, Server: call.Server, Message: fmt.Sprintf("you have refused server %q; codemode-ls trust allow approves it after all", call.Server)}
}

// Restart restarts one server.
func (w *Workspace) Restart(name string) error { return w.set.Restart(name) }

// SignIn has a person sign in to a server, and connects to it again. scopes are asked
// for in place of what the server demands; nil for that.
func (w *Workspace) SignIn(ctx context.Context, name string, scopes []string, b oauth.Browser) error {
	return w.set.SignIn(ctx, name, scopes, b)
}

// SignOut forgets what was granted for a server; false when nobody was signed in.
func (w *Workspace) SignOut(ctx context.Context, name string) (bool, error) {
	return w.set.SignOut(ctx, name)
}

// SignInStatus is what is kept of a sign-in; false for a server that has none.
func (w *Workspace) SignInStatus(ctx context.Context, name string) (oauth.Status, bool, error) {
	return w.set.SignInStatus(ctx, name)
}

func signIns(stateDir string) *oauth.Store {
	if stateDir == "" {
		return oauth.NewStore("")
	}
	return oauth.NewStore(filepath.Join(stateDir, "oauth"))
}

// Refresh has every connected server list its tools again.
func (w *Workspace) Refresh() { w.set.Refresh() }

// Runner runs scripts on this workspace.
func (w *Workspace) Runner() *exec.Runner { return w.runner }

// Rules is where rules are kept.
func (w *Workspace) Rules() *permission.Store { return w.store }

// Reconfigure reads everything again, with new editor settings and folders when
// given; nil keeps those of before.
func (w *Workspace) Reconfigure(editor, editorWorkspace jsontext.Value, folders []string) {
	w.configuring.Lock()
	defer w.configuring.Unlock()
	if w.closed {
		return
	}
	w.mu.Lock()
	sources := w.loaded.sources
	w.mu.Unlock()
	if editor != nil {
		sources.Editor = editor.Clone()
	}
	if editorWorkspace != nil {
		sources.EditorWorkspace = editorWorkspace.Clone()
	}
	if folders != nil {
		sources.Folders = slices.Clone(folders)
	}
	w.use(w.load(sources))
}

// Pending are servers of workspace files that nobody has decided on (TRUST-1).
func (w *Workspace) Pending() []config.Server {
	w.mu.Lock()
	servers, always := w.loaded.servers, w.loaded.config.TrustWorkspace
	w.mu.Unlock()
	var pending []config.Server
	for _, s := range servers {
		if !always && !s.Disabled && s.Problem == "" && w.verdict(s) == config.Undecided {
			pending = append(pending, s)
		}
	}
	return pending
}

// Approve stores a person's decision on the server with that name and hash; an
// error when the definition has changed meanwhile. An approved server is started,
// a refused one stopped.
func (w *Workspace) Approve(name, hash string, approve bool) error {
	w.configuring.Lock()
	defer w.configuring.Unlock()
	w.mu.Lock()
	now := w.loaded
	w.mu.Unlock()
	i := slices.IndexFunc(now.servers, func(s config.Server) bool { return s.Name == name })
	switch {
	case i < 0:
		return fmt.Errorf("there is no server %q", name)
	case now.servers[i].ApprovalHash() != hash:
		return fmt.Errorf("the definition of server %q has changed since it was shown; look at it again", name)
	case now.servers[i].Layer != config.Workspace:
		return fmt.Errorf("server %q does not come from the workspace's files and needs no approval", name)
	case w.trust == nil:
		return fmt.Errorf("the decision on server %q cannot be kept: there is no configuration directory", name)
	}
	if err := w.trust.Decide(now.servers[i], approve); err != nil {
		return err
	}
	if !w.closed {
		w.use(now)
	}
	return nil
}

// RefuseAll stores the one answer for the whole workspace: nothing that its files name is
// started, now or later, but for what a person has approved by itself (TRUST-1).
func (w *Workspace) RefuseAll() error {
	w.configuring.Lock()
	defer w.configuring.Unlock()
	w.mu.Lock()
	now := w.loaded
	w.mu.Unlock()
	switch {
	case w.trust == nil:
		return errors.New("the answer for this workspace cannot be kept: there is no configuration directory")
	case len(now.sources.Folders) == 0:
		return errors.New("the answer for this workspace cannot be kept: no folder is open")
	}
	for _, folder := range now.sources.Folders {
		if err := w.trust.RefuseWorkspace(folder); err != nil {
			return err
		}
	}
	if !w.closed {
		w.use(now)
	}
	return nil
}

// Close ends runs, servers and children, and waits for them.
func (w *Workspace) Close() {
	w.configuring.Lock()
	w.closed = true
	w.configuring.Unlock()
	w.runner.Close()
	w.stop()
	w.owner.Wait()
	w.results.save(true)
	w.set.Close()
	w.boxes.Close()
	w.o.Tracer.Close()
	if w.audit != nil {
		if err := w.audit.Close(); err != nil {
			w.log.Warn("audit log not closed", "err", err)
		}
	}
}

// Kill ends all servers by force and waits for nothing: for a program that ends
// at once. Sandboxes and the TypeScript engine end with their pipes.
func (w *Workspace) Kill() { w.set.Kill() }

func (w *Workspace) verdict(s config.Server) config.Verdict {
	switch {
	case s.Layer != config.Workspace:
		return config.Approved
	case w.trust == nil:
		return config.Undecided
	}
	return w.trust.Verdict(s)
}

// flagRules are the rules that the command line gave.
func (w *Workspace) flagRules() []permission.Rule {
	var rules []permission.Rule
	for _, list := range []struct {
		effect permission.Effect
		rules  []string
	}{{permission.Deny, w.o.Deny}, {permission.Allow, w.o.Allow}} {
		for _, match := range list.rules {
			if err := permission.Valid(match); err != nil {
				w.log.Error("a rule of the command line counts for nothing", "rule", match, "err", err)
				continue
			}
			rules = append(rules, permission.Rule{Effect: list.effect, Layer: permission.Flag, Match: match})
		}
	}
	return rules
}

// folders are the workspace's folders of this moment.
func (w *Workspace) folders() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loaded.sources.Folders
}

// workspaceID names what is kept of a workspace in the cache.
func workspaceID(folders []string) string {
	sum := sha256.Sum256([]byte(strings.Join(folders, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func firstFolder(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return folders[0]
}

// Decisions are the newest entries of the audit log, newest first.
func (w *Workspace) Decisions(n int) ([]audit.Entry, error) {
	if w.audit == nil {
		return nil, nil
	}
	return w.audit.Last(n)
}
