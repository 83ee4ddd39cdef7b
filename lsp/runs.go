package lsp

import (
	"maps"
	"slices"
	"strconv"

	"codemode-ls/exec"

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

// runDiagnostics marks the place where a document's newest run failed, until its
// text is edited (RUN-1).
func (s *Server) runDiagnostics(snap *Snapshot, doc *Document) []protocol.Diagnostic {
	last, ok := snap.LastRuns[doc.URI]
	if !ok || last.Text != doc.Text {
		return nil
	}
	e := last.Result.Error
	if e == nil || e.Range == nil {
		return nil
	}
	return []protocol.Diagnostic{{
		Range:    doc.FromUTF16Range(*e.Range),
		Severity: protocol.DiagnosticSeverityError,
		Code:     protocol.String("run-failed"),
		Source:   protocol.NewOptional("codemode"),
		Message:  protocol.String(printable("last run: " + e.Name + ": " + e.Message)),
	}}
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
