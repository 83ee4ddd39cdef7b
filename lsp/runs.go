package lsp

import (
	"maps"
	"slices"
	"strconv"

	"codemode-ls/exec"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// A lastRun is how a script's newest run ended.
type lastRun struct {
	Result *exec.Result // ranges in UTF-16 units
	Text   string       // that ran
}

// remember keeps the end of a document's run for its lens and for the mark of
// its failure (RUN-1).
func (s *Server) remember(doc *Document, r *exec.Result) {
	if doc.URI == "" {
		return
	}
	snap := s.session.Edit(func(next *Snapshot) {
		next.LastRuns = maps.Clone(next.LastRuns)
		if next.LastRuns == nil {
			next.LastRuns = map[string]*lastRun{}
		}
		next.LastRuns[doc.URI] = &lastRun{Result: r, Text: doc.Text}
	})
	s.refresh(snap)
}

// Codes of what a run says of its script (RUN-1).
const (
	DiagnosticRunFailed  = "run-failed"
	DiagnosticRunWarning = "run-warning"
)

// runDiagnostics marks the place where a document's newest run failed, and what
// it warned of, until the text is edited (RUN-1). A failure of no place, such as
// the end of the time, is shown on the first line.
func (s *Server) runDiagnostics(snap *Snapshot, doc *Document) []protocol.Diagnostic {
	last, ok := snap.LastRuns[doc.URI]
	if !ok || last.Text != doc.Text {
		return nil
	}
	var all []protocol.Diagnostic
	add := func(at *script.Range, severity protocol.DiagnosticSeverity, code, message string) {
		f := finding{at: firstLineOf(doc), code: code, severity: severity, message: printable("last run: " + message)}
		if at != nil {
			f.at = *at
		}
		all = append(all, s.ownDiagnostic(snap, doc, f))
	}
	r := last.Result
	if e := r.Error; e != nil && (e.Range != nil || r.Status != exec.Completed && r.Status != exec.Cancelled && r.Status != exec.CodeError) {
		name := ""
		if e.Name != "" {
			name = e.Name + ": "
		}
		add(e.Range, protocol.DiagnosticSeverityError, DiagnosticRunFailed, name+e.Message)
	}
	for _, w := range r.Warnings {
		if w.Range != nil {
			add(w.Range, protocol.DiagnosticSeverityWarning, DiagnosticRunWarning, w.Message)
		}
	}
	return all
}

// firstLineOf is the range of a document's first line.
func firstLineOf(doc *Document) script.Range {
	return script.Range{End: doc.PositionUTF16(len(firstLine(doc.Text)))}
}

// begunRun and endedRun keep the runs in progress, for codemode.stop.
func (s *Server) begunRun(runID, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runsNow[runID] = uri
}

func (s *Server) endedRun(runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runsNow, runID)
}

// runningRuns are the ids of the runs in progress: all of them, that with an id,
// or those of a document.
func (s *Server) runningRuns(which string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id, uri := range s.runsNow {
		if which == "" || which == id || which == uri {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// nextID makes names that are unique within the connection.
func (s *Server) nextID() string { return strconv.FormatInt(s.ids.Add(1), 10) }
