package lsp

import (
	"codemode-ls/analysis"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Codes of what is wrong with a file of permission rules, or of hooks. Each has a page
// in docs/diagnostics.
const (
	DiagnosticBrokenRules   = "broken-rules"
	DiagnosticUnmatchedRule = "unmatched-rule"
	DiagnosticResultType    = "result-type" // of a file of types of results
)

// ruleDiagnostics says what is wrong with files of permission rules, hooks or types of results, by URI: such
// a file is reported at its line (PERM-10), open or not.
func (s *Server) ruleDiagnostics(snap *Snapshot) map[string][]protocol.Diagnostic {
	all := map[string][]protocol.Diagnostic{}
	for _, p := range snap.Workspace.Problems {
		if p.File == "" {
			continue // it is of the editor's settings, and reported already
		}
		u := string(uri.File(p.File))
		d := protocol.Diagnostic{
			Severity: protocol.DiagnosticSeverityError, Code: protocol.String(DiagnosticBrokenRules), Source: analysis.Optional("codemode"),
			Message: protocol.String(analysis.Printable(p.Message + ". Until you fix it, every call asks for permission.")),
		}
		if p.Range != (script.Range{}) {
			d.Range = fileRange(p.File, p.Range, snap.Client.Encoding)
		}
		if snap.Client.DiagnosticCodeLink {
			if page := s.explanation(DiagnosticBrokenRules); page != "" {
				d.CodeDescription = protocol.CodeDescription{Href: page}
			}
		}
		all[u] = append(all[u], d)
	}
	for _, r := range snap.Workspace.Rules.All() {
		if r.File == "" || r.Range == (script.Range{}) {
			continue
		}
		notice := snap.Workspace.Unmatched(r.Match)
		if notice == "" {
			continue
		}
		u := string(uri.File(r.File))
		d := protocol.Diagnostic{
			Severity: protocol.DiagnosticSeverityHint, Code: protocol.String(DiagnosticUnmatchedRule), Source: analysis.Optional("codemode"),
			Message: protocol.String(analysis.Printable("This rule matches no tool now: " + notice + ".")), Range: fileRange(r.File, r.Range, snap.Client.Encoding),
		}
		if snap.Client.DiagnosticCodeLink {
			if page := s.explanation(DiagnosticUnmatchedRule); page != "" {
				d.CodeDescription = protocol.CodeDescription{Href: page}
			}
		}
		all[u] = append(all[u], d)
	}
	for _, p := range snap.Workspace.ResultProblems {
		u := string(uri.File(p.File))
		d := protocol.Diagnostic{
			Severity: protocol.DiagnosticSeverityWarning, Code: protocol.String(DiagnosticResultType), Source: analysis.Optional("codemode"),
			Message: protocol.String(analysis.Printable(p.Message)), Range: fileRange(p.File, p.Range, snap.Client.Encoding),
		}
		if snap.Client.DiagnosticCodeLink {
			if page := s.explanation(DiagnosticResultType); page != "" {
				d.CodeDescription = protocol.CodeDescription{Href: page}
			}
		}
		all[u] = append(all[u], d)
	}
	return all
}
