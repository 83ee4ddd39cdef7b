package lsp

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
	"strings"

	"codemode-ls/analysis"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// hasOther reports whether a document is open that is no script.
func hasOther(docs map[string]*analysis.Document) bool {
	for _, d := range docs {
		if !d.Script {
			return true
		}
	}
	return false
}

// diagnoseAll is what Watch calls after each pause: clients that pull are asked
// to pull again when the pool has changed (DIAG-2), all others are sent the
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
		s.reportBroken(ctx)
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
	s.reportBroken(ctx)
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

// reportBroken says which open scripts no longer fit the pool: once for each, in
// one message, since most clients show it in the middle of the person's work.
func (s *Server) reportBroken(ctx context.Context) {
	news := s.breakage.unreported()
	if len(news) == 0 {
		return
	}
	var parts []string
	for _, u := range slices.Sorted(maps.Keys(news)) {
		errors := news[u]
		part := analysis.Plain(path.Base(uri.URI(u).Path()), 80) + ": " + analysis.Plain(errors[0], 200)
		if n := len(errors) - 1; n > 0 {
			part += fmt.Sprintf(" (and %d more)", n)
		}
		parts = append(parts, part)
	}
	const most = 3
	if n := len(parts); n > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more scripts", n-most))
	}
	s.showMessage(ctx, protocol.MessageTypeWarning, "The MCP tools have changed, and open scripts no longer fit them. "+strings.Join(parts, " · "))
}
