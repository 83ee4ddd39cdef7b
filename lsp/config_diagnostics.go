package lsp

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/config"
	"codemode-ls/internal/plaintext"
	"codemode-ls/script"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Codes of what is wrong with a server rather than with its definition; those of
// the definition are package config's. Each has a page in docs/diagnostics.
const (
	DiagnosticServerFailed     = "server-failed"
	DiagnosticServerUntrusted  = "server-untrusted"
	DiagnosticServerNotStarted = "server-not-started"
	DiagnosticInputNeeded      = "input-needed"
	DiagnosticUndeclaredInput  = "undeclared-input"
	DiagnosticNameConflict     = "name-conflict"
	DiagnosticSharedNamespace  = "shared-namespace"
	DiagnosticBrokenRules      = "broken-rules" // of a file of permission rules, or of hooks
	DiagnosticUnmatchedRule    = "unmatched-rule"
	diagnosticShadowed         = "shadowed-server"
)

// ruleDiagnostics is what is wrong with files of permission rules or hooks, by URI: such
// a file is reported at its line (PERM-10), open or not.
func (s *Server) ruleDiagnostics(snap *Snapshot) map[string][]protocol.Diagnostic {
	all := map[string][]protocol.Diagnostic{}
	for _, p := range snap.Workspace.Problems {
		if p.File == "" {
			continue // it is of the editor's settings, and told
		}
		u := string(uri.File(p.File))
		d := protocol.Diagnostic{
			Severity: protocol.DiagnosticSeverityError, Code: protocol.String(DiagnosticBrokenRules), Source: optional("codemode"),
			Message: protocol.String(printable(p.Message + ". Until this is mended, every call is asked for.")),
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
			Severity: protocol.DiagnosticSeverityHint, Code: protocol.String(DiagnosticUnmatchedRule), Source: optional("codemode"),
			Message: protocol.String(printable("This rule matches no tool now: " + notice + ".")), Range: fileRange(r.File, r.Range, snap.Client.Encoding),
		}
		if snap.Client.DiagnosticCodeLink {
			if page := s.explanation(DiagnosticUnmatchedRule); page != "" {
				d.CodeDescription = protocol.CodeDescription{Href: page}
			}
		}
		all[u] = append(all[u], d)
	}
	return all
}

// configDiagnostics is everything that is wrong with a configuration file and
// with the servers that it defines; ok is false when the document is none.
func (s *Server) configDiagnostics(snap *Snapshot, doc *Document) (all []protocol.Diagnostic, ok bool) {
	f, ok := s.configFile(doc)
	if !ok {
		return nil, false
	}
	add := func(r protocol.Range, severity protocol.DiagnosticSeverity, code, message string, data findingData) {
		d := protocol.Diagnostic{
			Range: r, Severity: severity, Code: protocol.String(code), Source: optional("codemode"), Message: protocol.String(printable(message)),
		}
		if snap.Client.DiagnosticCodeLink {
			if page := s.explanation(code); page != "" {
				d.CodeDescription = protocol.CodeDescription{Href: page}
			}
		}
		if snap.Client.DiagnosticData && (data.Name != "" || len(data.Closest) > 0) {
			if raw, err := json.Marshal(data); err == nil {
				d.Data = raw
			}
		}
		all = append(all, d)
	}
	for _, v := range f.Findings {
		data := findingData{Name: v.Name}
		if v.Closest != "" {
			data.Closest = []string{v.Closest}
		}
		add(findingRange(doc, v), findingSeverity(v.Severity), v.Code, v.Message, data)
	}
	for _, e := range f.Entries {
		at := doc.span(e.Name)
		for _, u := range undeclaredInputs(doc, f, e) {
			add(doc.span(u.at), protocol.DiagnosticSeverityWarning, DiagnosticUndeclaredInput, u.message(), findingData{Name: u.id})
		}
		if first, ok := before(snap, e); ok {
			add(at, protocol.DiagnosticSeverityInformation, diagnosticShadowed, fmt.Sprintf("This definition of %s is not used: the one of %s comes first.", plain(e.Server.Name, 80), plain(config.Origin(first), 200)), findingData{})
			continue
		}
		v, ok := statusOf(snap, e)
		if !ok || e.Server.Problem != "" {
			continue
		}
		switch {
		case v.State == upstream.Untrusted:
			message := "This server is not started before you have approved it. All that it would do: codemode-ls trust show " + plaintext.Exact(shownWord(e.Server.Name))
			if v.Refused {
				message = "You have refused this server; it is not started unless you approve it after all."
			}
			if r := v.Server.Resembles; r != "" {
				message += " Beware: " + plain(r, 400) + "."
			}
			add(at, protocol.DiagnosticSeverityInformation, DiagnosticServerUntrusted, message, findingData{})
		case v.State == upstream.Failed && len(v.Server.NeedsInput) > 0:
			var names []string
			for _, in := range v.Server.NeedsInput {
				if in.Declared { // of all others there is something else to say
					names = append(names, plain(in.ID, 80))
				}
			}
			if len(names) > 0 {
				add(at, protocol.DiagnosticSeverityWarning, DiagnosticInputNeeded, "This server needs an answer before it can be started: "+strings.Join(names, ", "), findingData{})
			}
		case v.State == upstream.Failed && v.Server.Problem == "":
			message := "This server has failed: " + plain(v.Error, 500)
			if lines := lastLines(v.Stderr, 5); len(lines) > 0 {
				message += "\nIt wrote last:\n" + strings.Join(lines, "\n")
			}
			add(at, protocol.DiagnosticSeverityError, DiagnosticServerFailed, message, findingData{})
		case v.State == upstream.Stopped && v.Error != "":
			add(at, protocol.DiagnosticSeverityWarning, DiagnosticServerNotStarted, "This server is not started: "+plain(v.Error, 300), findingData{})
		}
		s.conflictDiagnostics(snap, e, func(code, message string) {
			add(at, protocol.DiagnosticSeverityWarning, code, message, findingData{})
		})
	}
	return inOrder(all), true
}

// conflictDiagnostics says which tools of a server have names that another one's
// have, and with whom it shares a namespace (POOL-2).
func (s *Server) conflictDiagnostics(snap *Snapshot, e config.Entry, add func(code, message string)) {
	for _, n := range snap.Workspace.SharedNamespaces() {
		if at := slices.Index(n.Servers, e.Server.Name); at > 0 {
			add(DiagnosticSharedNamespace, fmt.Sprintf("This server and %s share the namespace %s: a rule for %s__* counts for both. Rename one of them.",
				plain(n.Servers[0], 80), n.Namespace, n.Namespace))
		}
	}
	var names []string
	keeper := ""
	for _, c := range snap.Workspace.Catalog.Conflicts() {
		if c.Dropped == e.Server.Name {
			names, keeper = append(names, plain(c.Name, 100)), c.Kept
		}
	}
	const most = 5
	if n := len(names); n > 0 {
		shown := names[:min(n, most)]
		message := fmt.Sprintf("%s of this server cannot be called, because %s has the same names: %s", count(n, "tool"), plain(keeper, 80), strings.Join(shown, ", "))
		if n > most {
			message += fmt.Sprintf(" and %d more", n-most)
		}
		add(DiagnosticNameConflict, message)
	}
}

// findingRange is where a finding is, as the client counts.
func findingRange(doc *Document, f config.Finding) protocol.Range {
	return doc.FromUTF16Range(script.Range{
		Start: script.Position{Line: f.StartLine, Character: f.StartColumn},
		End:   script.Position{Line: f.EndLine, Character: f.EndColumn},
	})
}

func findingSeverity(severity string) protocol.DiagnosticSeverity {
	switch severity {
	case "error":
		return protocol.DiagnosticSeverityError
	case "warning":
		return protocol.DiagnosticSeverityWarning
	}
	return protocol.DiagnosticSeverityInformation
}
