package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/exec"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// callStates are the calls of each document's newest run, as far as it has come
// (RUN-1). They are not part of the snapshot: they change with every event of a
// run, and nothing must be checked anew for that.
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
func (c *callStates) begin(doc *Document, runID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURI == nil {
		c.byURI = map[string]*runCalls{}
	}
	c.byURI[doc.URI] = &runCalls{runID: runID, text: doc.Text, calls: map[int]exec.CallRecord{}}
}

// note records how a call is doing. Events of a run that a newer one has replaced
// are left out.
func (c *callStates) note(doc *Document, runID string, call exec.CallRecord) {
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
func (c *callStates) of(doc *Document) []exec.CallRecord {
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

// at are the states by the place of the call, in words.
func (c *callStates) at(doc *Document) map[script.Position]string {
	groups := map[script.Position][]exec.CallRecord{}
	for _, call := range c.of(doc) {
		if call.Range != nil {
			groups[call.Range.Start] = append(groups[call.Range.Start], call)
		}
	}
	words := map[script.Position]string{}
	for at, calls := range groups {
		words[at] = stateWords(calls)
	}
	return words
}

// stateWords say how the calls of one place are doing.
func stateWords(calls []exec.CallRecord) string {
	var first, last int64 = -1, 0
	wrong, open := 0, exec.CallStatus("")
	message := ""
	for _, c := range calls {
		if t := c.Timing; t != nil {
			if first < 0 || t.StartMs < first {
				first = t.StartMs
			}
			last = max(last, t.EndMs)
		}
		switch c.Status {
		case exec.CallCompleted:
		case exec.CallQueued, exec.CallWaiting, exec.CallRunning:
			open = c.Status
		default:
			wrong++
			if message == "" {
				message = callWords[c.Status]
				if c.Error != "" && c.Status == exec.CallFailed {
					message += ": " + plain(c.Error, 80)
				}
			}
		}
	}
	many := ""
	if len(calls) > 1 {
		many = fmt.Sprintf("%d calls, ", len(calls))
	}
	switch {
	case open != "":
		return "… " + many + callWords[open]
	case wrong > 0 && len(calls) > 1:
		return fmt.Sprintf("✗ %d of %d calls: %s%s", wrong, len(calls), message, duration(first, last))
	case wrong > 0:
		return "✗ " + message + duration(first, last)
	case calls[0].Verdict != "":
		return "dry run: would be allowed" // as far as this version's rules go
	}
	return "✓ " + many + strings.TrimPrefix(duration(first, last), ", ")
}

// duration is a time in words, with a comma before it; "" when it is not known.
func duration(first, last int64) string {
	switch d := time.Duration(last-first) * time.Millisecond; {
	case first < 0:
		return ""
	case d >= 10*time.Second:
		return fmt.Sprintf(", %.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf(", %.1f s", d.Seconds())
	default:
		return fmt.Sprintf(", %d ms", d.Milliseconds())
	}
}

// hints are the states at the ends of the lines of a range.
func (c *callStates) hints(doc *Document, in protocol.Range) []protocol.InlayHint {
	lines := map[int][]string{}
	states := c.at(doc)
	places := slices.SortedFunc(maps.Keys(states), func(a, b script.Position) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
	})
	var order []int
	for _, p := range places {
		if len(lines[p.Line]) == 0 {
			order = append(order, p.Line)
		}
		lines[p.Line] = append(lines[p.Line], states[p])
	}
	var hints []protocol.InlayHint
	for _, line := range order {
		at := doc.FromUTF16(doc.PositionUTF16(doc.OffsetUTF16(script.Position{Line: line, Character: 1 << 30})))
		if comparePositions(at, in.Start) < 0 || comparePositions(in.End, at) < 0 {
			continue
		}
		left := true
		hints = append(hints, protocol.InlayHint{
			Position: at, Label: protocol.String(strings.Join(lines[line], " · ")), PaddingLeft: &left,
			Tooltip: protocol.String("How the calls of this line went in the last run."),
		})
	}
	return hints
}

// refreshPause is how long the client is left alone after it was asked to look
// at the states again.
const refreshPause = 250 * time.Millisecond

// followStates asks the client to look at lenses and hints again when a call of a
// run has changed, but not for each change.
func (s *Server) followStates(ctx context.Context) {
	pause := time.NewTimer(refreshPause)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.statesChanged:
		}
		s.refreshRuns(s.session.Snapshot())
		pause.Reset(refreshPause)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}
