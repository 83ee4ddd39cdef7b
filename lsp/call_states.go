package lsp

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"codemode-ls/analysis"
	"codemode-ls/exec"
)

// callStates are the calls of each document's newest run, as far as it has come
// (RUN-1). They are not part of the snapshot: they change with every event of a
// run, and nothing must be checked again for that.
type callStates struct {
	mu    sync.Mutex
	byURI map[string]*runCalls
}

// runCalls are the calls of one run.
type runCalls struct {
	runID string
	text  string // that runs; states are shown beside no other
	calls map[int]exec.CallRecord
}

// begin forgets the states of a document's earlier run.
func (c *callStates) begin(doc *analysis.Document, runID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURI == nil {
		c.byURI = map[string]*runCalls{}
	}
	c.byURI[doc.URI] = &runCalls{runID: runID, text: doc.Text, calls: map[int]exec.CallRecord{}}
}

// note records how a call is doing. Events of a run that a newer one has replaced
// are left out.
func (c *callStates) note(doc *analysis.Document, runID string, call exec.CallRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.byURI[doc.URI]; r != nil && r.runID == runID {
		r.calls[call.Index] = call
	}
}

func (c *callStates) forget(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byURI, uri)
}

// of are the calls beside a document's text, in the order in which they were made.
func (c *callStates) of(doc *analysis.Document) []exec.CallRecord {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.byURI[doc.URI]
	if r == nil || r.text != doc.Text {
		return nil
	}
	calls := slices.Collect(maps.Values(r.calls))
	slices.SortFunc(calls, func(a, b exec.CallRecord) int { return cmp.Compare(a.Index, b.Index) })
	return calls
}
