package configfile

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/internal/plaintext"
	"codemode-ls/script"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
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
	DiagnosticShadowed         = "shadowed-server"
)

// Diagnostics are everything that is wrong with the file and with the servers that
// it defines.
func (file *File) Diagnostics() (all []protocol.Diagnostic) {
	snap, doc, f := file.View, file.Doc, file.Parsed
	add := func(r protocol.Range, severity protocol.DiagnosticSeverity, code, message string, data analysis.FindingData) {
		d := protocol.Diagnostic{
			Range: r, Severity: severity, Code: protocol.String(code), Source: analysis.Optional("codemode"), Message: protocol.String(analysis.Printable(message)),
		}
		if snap.Client.DiagnosticCodeLink {
			if page := file.Page(code); page != "" {
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
		data := analysis.FindingData{Name: v.Name}
		if v.Closest != "" {
			data.Closest = []string{v.Closest}
		}
		add(findingRange(doc, v), findingSeverity(v.Severity), v.Code, v.Message, data)
	}
	for _, e := range f.Entries {
		at := doc.Span(e.Name)
		for _, u := range undeclaredInputs(doc, f, e) {
			add(doc.Span(u.at), protocol.DiagnosticSeverityWarning, DiagnosticUndeclaredInput, u.message(), analysis.FindingData{Name: u.id})
		}
		if first, ok := before(snap, e); ok {
			add(at, protocol.DiagnosticSeverityInformation, DiagnosticShadowed, fmt.Sprintf("This definition of %s is not used: the one of %s comes first.", analysis.Plain(e.Server.Name, 80), analysis.Plain(config.Origin(first), 200)), analysis.FindingData{})
			continue
		}
		v, ok := statusOf(snap, e)
		if !ok || e.Server.Problem != "" {
			continue
		}
		switch {
		case v.State == upstream.Untrusted:
			message := "This server is not started before you have approved it. All that it would do: codemode-ls trust show " + plaintext.Exact(ShownWord(e.Server.Name))
			if v.Refused {
				message = "You have refused this server; it is not started unless you approve it after all."
			}
			if r := v.Server.Resembles; r != "" {
				message += " Beware: " + analysis.Plain(r, 400) + "."
			}
			add(at, protocol.DiagnosticSeverityInformation, DiagnosticServerUntrusted, message, analysis.FindingData{})
		case v.State == upstream.Failed && len(v.Server.NeedsInput) > 0:
			var names []string
			for _, in := range v.Server.NeedsInput {
				if in.Declared { // of all others there is something else to say
					names = append(names, analysis.Plain(in.ID, 80))
				}
			}
			if len(names) > 0 {
				add(at, protocol.DiagnosticSeverityWarning, DiagnosticInputNeeded, "This server needs an answer before it can be started: "+strings.Join(names, ", "), analysis.FindingData{})
			}
		case v.State == upstream.Failed && v.Server.Problem == "":
			message := "This server has failed: " + analysis.Plain(v.Error, 500)
			if lines := lastLines(v.Stderr, 5); len(lines) > 0 {
				message += "\nIt wrote last:\n" + strings.Join(lines, "\n")
			}
			add(at, protocol.DiagnosticSeverityError, DiagnosticServerFailed, message, analysis.FindingData{})
		case v.State == upstream.Stopped && v.Error != "":
			add(at, protocol.DiagnosticSeverityWarning, DiagnosticServerNotStarted, "This server is not started: "+analysis.Plain(v.Error, 300), analysis.FindingData{})
		}
		conflictDiagnostics(snap, e, func(code, message string) {
			add(at, protocol.DiagnosticSeverityWarning, code, message, analysis.FindingData{})
		})
	}
	return analysis.InOrder(all)
}

// conflictDiagnostics says which tools of a server have names that another one's
// have, and with whom it shares a namespace (POOL-2).
func conflictDiagnostics(snap *analysis.View, e config.Entry, add func(code, message string)) {
	for _, n := range snap.Workspace.SharedNamespaces() {
		if at := slices.Index(n.Servers, e.Server.Name); at > 0 {
			add(DiagnosticSharedNamespace, fmt.Sprintf("This server and %s share the namespace %s: a rule for %s__* counts for both. Rename one of them.",
				analysis.Plain(n.Servers[0], 80), n.Namespace, n.Namespace))
		}
	}
	var names []string
	keeper := ""
	for _, c := range snap.Workspace.Catalog.Conflicts() {
		if c.Dropped == e.Server.Name {
			names, keeper = append(names, analysis.Plain(c.Name, 100)), c.Kept
		}
	}
	const most = 5
	if n := len(names); n > 0 {
		shown := names[:min(n, most)]
		message := fmt.Sprintf("%s of this server cannot be called, because %s has the same names: %s", count(n, "tool"), analysis.Plain(keeper, 80), strings.Join(shown, ", "))
		if n > most {
			message += fmt.Sprintf(" and %d more", n-most)
		}
		add(DiagnosticNameConflict, message)
	}
}

// findingRange is where a finding is, as the client counts.
func findingRange(doc *analysis.Document, f config.Finding) protocol.Range {
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
