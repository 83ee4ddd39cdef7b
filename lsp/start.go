package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// initialized opens the workspace: everything that takes time starts here, in
// the background (LSP-1).
func (s *Server) initialized(context.Context, *nothing) error {
	if !s.started.CompareAndSwap(false, true) {
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
		s.update(ctx, w)
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
	o.Sources.Inputs = s.inputs.get
	if o.Log == nil || o.Log == s.o.Log {
		o.Log = s.log
	}
	if o.Check == nil && s.engine != nil {
		o.Check = analysis.NewChecker(s.engine)
	}
	o.Models = s.session.Snapshot().Client.models()
	o.Asker = elicitor{s}
	o.Changed = func() { notify(s.workspaceChanged) }
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

// follow makes a new snapshot whenever something of the workspace has changed.
func (s *Server) follow(ctx context.Context, w opened) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.workspaceChanged:
			s.update(ctx, w)
		}
	}
}

// reportFindings reports what is wrong with the configuration, once. What is wrong in
// the editor's own settings has no file that could show it: it is shown to the
// person, each thing once in a session.
func (s *Server) reportFindings(ctx context.Context, old, next *workspace.Snapshot) {
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
		if f.File != "" || s.reportedFindings[f.Message] {
			continue
		}
		s.reportedFindings[f.Message] = true
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
		s.showMessage(ctx, worst, "Code Mode: "+strings.Join(news, "\n"))
	}
}

// reportBrokenRules names the files of rules and hooks that cannot be read, which is
// why every call asks for permission.
func (s *Server) reportBrokenRules(ctx context.Context, old, next *workspace.Snapshot) {
	for _, p := range next.Problems {
		if slices.Contains(old.Problems, p) {
			continue
		}
		where := fmt.Sprintf("%s, line %d", analysis.Plain(p.File, 300), p.Range.Start.Line+1)
		if p.File == "" {
			where = "the editor's settings"
		}
		s.log.Error("rules or hooks that cannot be read", "file", p.File, "line", p.Range.Start.Line+1, "problem", p.Message)
		s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("Code Mode: %s: %s. Until you fix it, every call asks for permission.", where, analysis.Plain(p.Message, 300)))
	}
}

// setLogLevel applies the level of the configuration.
func (s *Server) setLogLevel(_ context.Context, _, next *workspace.Snapshot) {
	s.toClient.setLevel(cmp.Or(next.Config.LogLevel, "warn"))
}
