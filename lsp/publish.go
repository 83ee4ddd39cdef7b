package lsp

import (
	"context"
	"hash/maphash"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A published set of diagnostics is what the client shows for a document.
type published struct {
	hash    uint64
	version int32
	empty   bool
}

// publisher remembers what was sent. It belongs to the one goroutine that
// Watch runs at a time.
type publisher struct {
	seed maphash.Seed
	sent map[string]published
	// What the client was last asked to look at again.
	catalog   *catalog.Catalog
	rules     *permission.Rules
	workspace *workspace.Snapshot // for documents that show the state of servers
	// ruleProblems is ruleDiagnostics of the workspace rulesOf.
	rulesOf      *workspace.Snapshot
	ruleProblems map[string][]protocol.Diagnostic
}

// hasOther says whether a document is open that is no script.
func hasOther(docs map[string]*analysis.Document) bool {
	for _, d := range docs {
		if !d.Script {
			return true
		}
	}
	return false
}

// diagnoseAll is what Watch calls after each pause: clients that pull are asked
// to pull anew when the pool has changed (DIAG-2), all others are sent the
// diagnostics that differ from what they show.
//
// It converges: every edit leads to one more call, a call works on the newest
// snapshot, and one that was cancelled has recorded only what it has sent.
func (s *Server) diagnoseAll(ctx context.Context, snap *Snapshot) {
	defer s.survive("diagnostics")
	p := &s.publisher
	if p.catalog != snap.Workspace.Catalog || p.rules != snap.Workspace.Rules || p.workspace != snap.Workspace && hasOther(snap.Docs) {
		s.refresh(snap)
	}
	poolChanged := p.catalog != snap.Workspace.Catalog
	p.catalog, p.rules, p.workspace = snap.Workspace.Catalog, snap.Workspace.Rules, snap.Workspace
	if p.rulesOf != snap.Workspace {
		p.rulesOf, p.ruleProblems = snap.Workspace, s.ruleDiagnostics(snap)
	}
	rules := p.ruleProblems
	for uri, shown := range p.sent {
		d, open := snap.Docs[uri]
		if open && !d.Script {
			_, open = s.configFile(snap, d) // or nobody else answers for it
		}
		if !open && rules[uri] == nil {
			if !shown.empty {
				s.publish(ctx, snap, uri, 0, nil)
			}
			delete(p.sent, uri)
		}
	}
	for uri, found := range rules {
		s.publish(ctx, snap, uri, 0, found)
	}
	if snap.Client.pulls() {
		if poolChanged {
			s.checkAll(ctx, snap)
		}
		s.tellBroken(ctx)
		return
	}
	for _, d := range snap.Docs {
		if d.Unreadable != "" {
			s.publish(ctx, snap, d.URI, d.Version, outOfStep(d))
			continue
		}
		if !d.Script {
			if found, ok := s.configDiagnostics(snap, d); ok {
				s.publish(ctx, snap, d.URI, d.Version, found)
			}
			continue
		}
		found := append(s.diagnose(ctx, snap, d), s.scriptIn(snap, d).RunDiagnostics()...)
		if ctx.Err() != nil {
			return
		}
		if s.session.Snapshot().Docs[d.URI] != d {
			continue // the engine may have had a newer text already (LSP-4): another call follows
		}
		s.publish(ctx, snap, d.URI, d.Version, found)
	}
	s.tellBroken(ctx)
}

// checkAll checks the open scripts for what a change of the pool has broken, for
// clients that pull diagnostics only of what they show.
func (s *Server) checkAll(ctx context.Context, snap *Snapshot) {
	for _, d := range snap.Docs {
		if ctx.Err() != nil {
			s.publisher.catalog = nil // the next call does it
			return
		}
		if d.Script && d.Unreadable == "" {
			s.diagnose(ctx, snap, d)
		}
	}
}

// pulls says that diagnostics are left to the client's own requests. A client
// that cannot be asked to pull again would not see a change of the pool, so it
// is sent them.
func (c *clientCapabilities) pulls() bool { return c.PullDiagnostics && c.DiagnosticRefresh }

// publish sends diagnostics unless the client shows them already.
func (s *Server) publish(ctx context.Context, snap *Snapshot, u string, version int32, found []protocol.Diagnostic) {
	p := &s.publisher
	raw, err := protocol.Marshal(found)
	if err != nil {
		s.log.Error("diagnostics not encoded", "uri", u, "err", err)
		return
	}
	now := published{hash: maphash.Bytes(p.seed, raw), empty: len(found) == 0}
	if snap.Client.DiagnosticVersions {
		now.version = version
	}
	before, was := p.sent[u]
	if was && before == now {
		return
	}
	params := &protocol.PublishDiagnosticsParams{URI: uri.URI(u), Diagnostics: found}
	if found == nil {
		params.Diagnostics = []protocol.Diagnostic{}
	}
	if snap.Client.DiagnosticVersions && version != 0 {
		params.Version = protocol.NewOptional(version)
	}
	if err := s.client.PublishDiagnostics(ctx, params); err == nil {
		p.sent[u] = now
	}
}

// refresh asks the client to ask again for all that depends on the pool and the
// rules. Nobody waits for its answers.
func (s *Server) refresh(snap *Snapshot) {
	s.ask(snap.Client.pulls(), s.client.DiagnosticRefresh)
	s.ask(snap.Client.SemanticTokenRefresh, s.client.SemanticTokensRefresh)
	s.refreshRuns(snap)
}

// refreshRuns is refresh for what depends on runs alone.
func (s *Server) refreshRuns(snap *Snapshot) {
	s.ask(snap.Client.CodeLensRefresh, s.client.CodeLensRefresh)
	s.ask(snap.Client.InlayHintRefresh, s.client.InlayHintRefresh)
}

// ask sends a request whose answer nobody waits for, to a client that knows it.
func (s *Server) ask(can bool, request func(context.Context) error) {
	if !can {
		return
	}
	s.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, configurationTime)
		defer cancel()
		if err := request(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("refresh refused", "err", err)
		}
	})
}
