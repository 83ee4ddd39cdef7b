package lsp

import (
	"maps"
	"slices"
	"strconv"

	"codemode-ls/analysis"
	"codemode-ls/exec"
)

// remember keeps the end of a document's run for its lens and for the mark of
// its failure (RUN-1).
func (s *Server) remember(doc *analysis.Document, r *exec.Result) {
	if doc.URI == "" {
		return
	}
	snap := s.session.Edit(func(next *Snapshot) {
		next.LastRuns = maps.Clone(next.LastRuns)
		if next.LastRuns == nil {
			next.LastRuns = map[string]*analysis.LastRun{}
		}
		next.LastRuns[doc.URI] = &analysis.LastRun{Result: r, Text: doc.Text}
	})
	s.refresh(snap)
}

// runStarted and runEnded keep the runs in progress, for codemode.stop.
func (s *Server) runStarted(runID, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runsNow[runID] = uri
}

func (s *Server) runEnded(runID string) {
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
