package analysis

import (
	"codemode-ls/exec"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Codes of what a run says of its script (RUN-1).
const (
	DiagnosticRunFailed  = "run-failed"
	DiagnosticRunWarning = "run-warning"
)

// RunDiagnostics marks the place where a document's newest run failed, and what
// it warned of, until the text is edited (RUN-1). A failure of no place, such as
// the end of the time, is shown on the first line.
func (s *Script) RunDiagnostics() []protocol.Diagnostic {
	snap, doc := s.View, s.Doc
	last, ok := snap.LastRuns[doc.URI]
	if !ok || last.Text != doc.Text {
		return nil
	}
	var all []protocol.Diagnostic
	add := func(at *script.Range, severity protocol.DiagnosticSeverity, code, message string) {
		f := finding{at: firstLineOf(doc), Code: code, Severity: severity, Message: Printable("last run: " + message)}
		if at != nil {
			f.at = *at
		}
		all = append(all, s.ownDiagnostic(f))
	}
	r := last.Result
	if e := r.Error; e != nil && (e.Range != nil || r.Status != exec.Completed && r.Status != exec.Cancelled && r.Status != exec.CodeError) {
		name := ""
		if e.Name != "" {
			name = e.Name + ": "
		}
		at := e.Range
		if at == nil {
			at = decidingCall(r)
		}
		add(at, protocol.DiagnosticSeverityError, DiagnosticRunFailed, name+e.Message)
	}
	for _, w := range r.Warnings {
		if w.Range != nil {
			add(w.Range, protocol.DiagnosticSeverityWarning, DiagnosticRunWarning, w.Message)
		}
	}
	return all
}

// decidingCall is the place of the call that ended a run, where its error has none.
func decidingCall(r *exec.Result) *script.Range {
	for _, c := range r.Calls {
		if r.Error.ToolCall != nil && c.Index == *r.Error.ToolCall || r.Status == exec.Denied && c.Status == exec.CallDenied {
			return c.Range
		}
	}
	return nil
}

// firstLineOf is the range of a document's first line.
func firstLineOf(doc *Document) script.Range {
	return script.Range{End: doc.PositionUTF16(len(FirstLine(doc.Text)))}
}
