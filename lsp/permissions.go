package lsp

import (
	"context"
	"os"
	"slices"

	"codemode-ls/analysis"
	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// permissions answers codemode/permissions: every rule and where it is kept.
func (s *Server) permissions(ctx context.Context, snap *Snapshot, _ *nothing) ([]PermissionRule, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	list := []PermissionRule{}
	rules, now := w.Rules().Rules(), w.Snapshot()
	for _, r := range rules.All() {
		rule := PermissionRule{Layer: string(r.Layer), Effect: string(r.Effect), Rule: r.Match, Notice: analysis.Plain(now.Unmatched(r.Match), 300)}
		rule.Counts, rule.Why = rules.Counts(r)
		if r.File != "" {
			rule.Source = &RuleSource{URI: string(uri.File(r.File)), Range: fileRange(r.File, r.Range, snap.Client.Encoding)}
		}
		list = append(list, rule)
	}
	return list, nil
}

// maxDecisions is how many entries of the audit log one answer has.
const maxDecisions = 200

// auditLog answers codemode/audit.
func (s *Server) auditLog(ctx context.Context, _ *Snapshot, p *AuditParams) ([]AuditEntry, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	limit := p.Limit
	if limit <= 0 || limit > maxDecisions {
		limit = maxDecisions
	}
	entries, err := w.Decisions(limit)
	if err != nil {
		return nil, err
	}
	list := []AuditEntry{}
	for _, e := range entries {
		list = append(list, AuditEntry{
			Time: e.Time, RunID: e.Run, Tool: e.Leaf, Decision: e.Decision, By: e.By.Kind,
			Rule: e.By.Rule, Layer: e.By.Layer, Scope: e.By.Scope, Reason: e.Reason,
		})
	}
	return list, nil
}

// setPermission answers codemode/setPermission.
func (s *Server) setPermission(ctx context.Context, _ *Snapshot, p *SetPermissionParams) (*Done, error) {
	if p.Rule == "" {
		return nil, badParams("rule is missing")
	}
	effect := permission.Effect(p.Effect)
	switch {
	case p.Effect == "remove":
		effect = ""
	case !slices.Contains([]permission.Effect{permission.Allow, permission.Ask, permission.Deny}, effect):
		return nil, badParams(`effect must be "allow", "ask", "deny" or "remove"`)
	}
	layer := permission.Layer(p.Layer)
	if !slices.Contains([]permission.Layer{permission.Session, permission.Workspace, permission.User}, layer) {
		return nil, badParams(`layer must be "session", "workspace" or "user"`)
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.Rules().Set(layer, effect, p.Rule); err != nil {
		return nil, failure(CodeNotWritten, "%v", err)
	}
	// A rule can put a tool into the pool or take it out: whoever asks next sees it.
	s.update(s.ctx, w)
	return &Done{}, nil
}

// fileRange is a UTF-16 range of a file on disk in the client's units.
func fileRange(path string, r script.Range, encoding protocol.PositionEncodingKind) protocol.Range {
	var text []byte
	if !analysis.IsUTF16(encoding) {
		text, _ = os.ReadFile(path) // gone meanwhile: any range is as good
	}
	return analysis.NewDocument("", 0, "", string(text), encoding).FromUTF16Range(r)
}
