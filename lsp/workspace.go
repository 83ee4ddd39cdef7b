package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/exec/audit"
	"codemode-ls/exec/cassette"
	"codemode-ls/permission"
	"codemode-ls/upstream"
	"codemode-ls/upstream/oauth"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// opened is what the server needs of an open workspace: *workspace.Workspace,
// or a test's own.
type opened interface {
	Snapshot() *workspace.Snapshot
	Reconfigure(settings settings, folders []string)
	Pending() []config.Server
	Approve(name, hash string, approve bool) error
	ApproveHook(hash string, approve bool) error
	RefuseAll() error
	Restart(name string) error
	SignIn(ctx context.Context, name string, scopes []string, b oauth.Browser) error
	SignOut(ctx context.Context, name string) (bool, error)
	Recalled(ctx context.Context) error
	Decisions(n int) ([]audit.Entry, error)
	Refresh()
	Runner() runner
	Record(path string) (*workspace.Recording, error)
	Replay(path string) (*cassette.Player, error)
	Rules() ruleStore
	Close()
}

type runner interface {
	Run(ctx context.Context, q exec.Request) *exec.Result
	CallDirect(ctx context.Context, q exec.DirectRequest) []exec.CallResult
	Cancel(runID string) bool
	Runs(limit int) []exec.RunSummary
	Find(runID string) (result *exec.Result, code string, ok bool)
	Value(runID string) (value jsontext.Value, ok bool)
}

type ruleStore interface {
	Rules() *permission.Rules
	Set(layer permission.Layer, effect permission.Effect, match string) error
}

// realWorkspace is the product's own.
type realWorkspace struct{ *workspace.Workspace }

func (w realWorkspace) Reconfigure(s settings, folders []string) {
	w.Workspace.Reconfigure(s.Editor, s.EditorWorkspace, folders)
}
func (w realWorkspace) Runner() runner   { return w.Workspace.Runner() }
func (w realWorkspace) Rules() ruleStore { return w.Workspace.Rules() }

func openWorkspace(ctx context.Context, o workspace.Options) opened {
	return realWorkspace{workspace.Open(ctx, o)}
}

// initialized opens the workspace: everything that takes time begins here, in
// the background (LSP-1).
func (s *Server) initialized(context.Context, *nothing) error {
	if !s.begun.CompareAndSwap(false, true) {
		return nil
	}
	s.spawn(func(ctx context.Context) { s.toClient.send(ctx, s.client) })
	s.spawn(func(ctx context.Context) {
		s.session.Watch(ctx, quiet, s.diagnoseAll)
	})
	s.spawn(s.followStates)
	s.spawn(func(ctx context.Context) {
		s.register()
		s.fetchSettings(ctx)
		w := s.openNow(ctx)
		if w == nil {
			return
		}
		if err := w.Recalled(ctx); err != nil {
			return
		}
		close(s.recalled)
		s.take(ctx, w)
		close(s.ready)
		s.spawn(s.followSettings)
		s.spawn(s.askForApprovals)
		s.spawn(func(ctx context.Context) { s.serveAgents(ctx, w) })
		s.spawn(s.askForSignIns)
		s.follow(ctx, w)
	})
	return nil
}

// openNow opens the workspace unless the connection has ended meanwhile.
func (s *Server) openNow(ctx context.Context) opened {
	o := s.o.Workspace
	s.mu.Lock()
	o.Sources.Folders = s.folders
	o.Sources.Editor, o.Sources.EditorWorkspace = s.settings.Editor, s.settings.EditorWorkspace
	s.mu.Unlock()
	o.Sources.Inputs = s.answered
	if o.Log == nil || o.Log == s.o.Log {
		o.Log = s.log
	}
	if o.Check == nil && s.engine != nil {
		o.Check = analysis.NewChecker(s.engine)
	}
	o.Models = s.session.Snapshot().Client.models()
	o.Asker = elicitor{s}
	o.Changed = func() { poke(s.workspaceChanged) }
	if ctx.Err() != nil {
		return nil
	}
	w := s.open(ctx, o) // reads files: not under the lock that every message takes
	s.mu.Lock()
	s.workspace = w
	closing := s.closing
	s.mu.Unlock()
	if closing {
		w.Close()
		return nil
	}
	return w
}

// opened waits until the workspace is open: a request may come before.
func (s *Server) opened(ctx context.Context) (opened, error) {
	select {
	case <-s.ready:
		return s.workspace, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// runnable is opened for what runs scripts or calls tools, which a restricted
// workspace refuses (VSC-7).
func (s *Server) runnable(ctx context.Context) (opened, error) {
	if s.o.Workspace.Restricted {
		return nil, failure(CodeRestricted, "this workspace is not trusted, so no script runs and no tool is called in it")
	}
	return s.opened(ctx)
}

// withPool is snap, or the newest snapshot when snap is from before the
// workspace was open and has no pool.
func (s *Server) withPool(ctx context.Context, snap *Snapshot) (*Snapshot, error) {
	if snap.Opened {
		return snap, nil
	}
	if _, err := s.opened(ctx); err != nil {
		return nil, err
	}
	return s.session.Snapshot(), nil
}

// startPatience is how long a run, or direct calls, wait before they begin for
// servers that connect. A server that takes longer is waited for by the calls of its
// own tools alone, in the time of their run (MCP-5).
const startPatience = 5 * time.Second

// awaitTools waits for the servers of the tools with these names, as far as they
// are still connecting: what is known of them from last time must not be called
// (LSP-1), and a tool is not unknown because its server is slow.
func (s *Server) awaitTools(ctx context.Context, names map[string]bool) error {
	patient, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if s.awaitNamed(patient, names) != nil {
		return ctx.Err()
	}
	return nil
}

// usedTools are the names that a script uses.
func usedTools(doc *analysis.Document) map[string]bool {
	names := map[string]bool{}
	for _, u := range doc.Source.Uses() {
		names[u.Name] = true
	}
	return names
}

// awaitNamed is awaitTools for as long as ctx lasts.
func (s *Server) awaitNamed(ctx context.Context, names map[string]bool) error {
	for {
		s.mu.Lock()
		taken := s.taken
		s.mu.Unlock()
		if !waitsFor(s.session.Snapshot().Workspace, names) {
			return nil
		}
		select {
		case <-taken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitsFor says whether one of the names belongs to a server that is connecting.
func waitsFor(w *workspace.Snapshot, names map[string]bool) bool {
	for _, v := range w.Servers {
		for name := range names {
			if v.State == upstream.Connecting && catalog.CanOwn(v.Server.Name, name) {
				return true
			}
		}
	}
	return false
}

// follow makes a new snapshot whenever something of the workspace has changed.
func (s *Server) follow(ctx context.Context, w opened) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.workspaceChanged:
			s.take(ctx, w)
		}
	}
}

// take makes the workspace's present state the server's: engine and file first,
// so that nothing is checked on the new snapshot against old declarations.
func (s *Server) take(ctx context.Context, w opened) {
	s.taking.Lock()
	defer s.taking.Unlock()
	next := w.Snapshot()
	old := s.session.Snapshot()
	uri := old.DeclarationsURI
	changed := old.Workspace.Catalog.Hash() != next.Catalog.Hash()
	file := next.Catalog.Declarations()
	if uri == "" || file.Hash != old.Workspace.Catalog.Declarations().Hash {
		if s.engine != nil {
			s.engine.SetDeclarations(file.Views())
		}
		var err error
		if uri, err = s.writeDeclarations(file.Text); err != nil {
			s.log.Warn("declarations not written", "err", err)
		}
	}
	s.session.Edit(func(n *Snapshot) { n.Workspace, n.DeclarationsURI, n.Opened = next, uri, true })
	s.mu.Lock()
	close(s.taken)
	s.taken = make(chan struct{})
	s.mu.Unlock()
	if changed {
		s.tellCatalog(ctx, old.Workspace, next)
		s.notifyPoolWatchers()
	}
	if !slices.EqualFunc(old.Workspace.Servers, next.Servers, sameStatus) {
		s.tellServers(ctx, next)
	}
	if len(pendingHashes(next)) > 0 || len(next.UndecidedHooks) > 0 || len(missingInputs(next)) > 0 {
		poke(s.approvalsPending)
	}
	if slices.ContainsFunc(next.Servers, func(v upstream.Status) bool { return v.SignIn }) {
		poke(s.signInsPending)
	}
	s.toClient.setLevel(cmp.Or(next.Config.LogLevel, "warn"))
	s.logFindings(ctx, old.Workspace, next)
	s.tellBrokenRules(ctx, old.Workspace, next)
}

// tellBrokenRules says which files of rules and hooks cannot be read, and so why everything
// is asked for (PERM-10).
func (s *Server) tellBrokenRules(ctx context.Context, old, next *workspace.Snapshot) {
	for _, p := range next.Problems {
		if slices.Contains(old.Problems, p) {
			continue
		}
		where := fmt.Sprintf("%s, line %d", analysis.Plain(p.File, 300), p.Range.Start.Line+1)
		if p.File == "" {
			where = "the editor's settings"
		}
		s.log.Error("rules or hooks that cannot be read", "file", p.File, "line", p.Range.Start.Line+1, "problem", p.Message)
		s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("Codemode: %s: %s. Until you fix it, every call asks for permission.", where, analysis.Plain(p.Message, 300)))
	}
}

// logFindings tells what is wrong with the configuration, once. What is wrong in
// the editor's own settings has no file that could show it: it is told to the
// person, each thing once in a session.
func (s *Server) logFindings(ctx context.Context, old, next *workspace.Snapshot) {
	if slices.Equal(old.Config.Findings, next.Config.Findings) {
		return
	}
	var news []string
	worst := protocol.MessageTypeWarning
	for _, f := range next.Config.Findings {
		if f.Severity == "information" {
			continue
		}
		s.log.Warn("configuration", "file", f.File, "line", f.StartLine+1, "code", f.Code, "problem", f.Message)
		if f.File != "" || s.toldFindings[f.Message] {
			continue
		}
		s.toldFindings[f.Message] = true
		news = append(news, analysis.Plain(f.Message, 300))
		if f.Severity == "error" {
			worst = protocol.MessageTypeError
		}
	}
	const most = 5
	if n := len(news); n > most {
		news = append(news[:most], fmt.Sprintf("… and %d more; the server's log has them all.", n-most))
	}
	if len(news) > 0 {
		s.showMessage(ctx, worst, "Codemode: "+strings.Join(news, "\n"))
	}
}

// poke wakes whoever receives from c; c has capacity 1.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// beginClose ends runs, servers and the engine in the background; close waits
// for that.
func (s *Server) beginClose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.closing = true
	w, engine := s.workspace, s.engine
	go func() {
		defer close(s.ended)
		defer s.survive("closing")
		if w != nil {
			w.Close()
		}
		if engine != nil {
			engine.Shutdown()
		}
	}()
}

// close ends and waits for all that the server has started.
func (s *Server) close() {
	s.beginClose()
	<-s.ended
	s.running.Wait()
}

// quiet is how long edits must pause before open scripts are checked.
const quiet = 150 * time.Millisecond
