package exec

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// How much is kept of ended runs (OBS-2).
const (
	maxKept      = 100
	maxKeptBytes = 64 << 20
	// Results of calls: each, and all of one run.
	maxKeptResult  = 256 << 10
	maxKeptResults = 4 << 20
)

// Runs are the newest kept runs, newest first; limit 0 is all.
func (r *Runner) Runs(limit int) []RunSummary {
	h := &r.history
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]RunSummary, 0, len(h.kept))
	for _, k := range slices.Backward(h.kept) {
		if limit > 0 && len(list) == limit {
			break
		}
		list = append(list, k.summary)
	}
	return list
}

// Find returns a kept run, with the results of its calls, and its code.
func (r *Runner) Find(runID string) (result *Result, code string, ok bool) {
	h := &r.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.kept {
		if k.summary.RunID == runID {
			whole := *k.result
			whole.Calls = slices.Clone(k.result.Calls)
			for i := range whole.Calls {
				if i < len(k.results) {
					whole.Calls[i].Result = k.results[i]
				}
			}
			return &whole, k.code, true
		}
	}
	return nil, "", false
}

// Value returns the value of a kept run, also one that its result has left out;
// nil when it returned none.
func (r *Runner) Value(runID string) (value jsontext.Value, ok bool) {
	h := &r.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.kept {
		if k.summary.RunID == runID {
			if k.value != nil {
				return k.value, true
			}
			return k.result.Value, true
		}
	}
	return nil, false
}

// Close cancels every run and waits until they have ended. Later ones end at
// once, cancelled.
func (r *Runner) Close() {
	h := &r.history
	h.mu.Lock()
	if h.done == nil {
		h.done = make(chan struct{})
		h.closed = true
		if len(h.going) == 0 {
			close(h.done)
		}
	}
	for _, x := range h.going {
		x.cancel(errClosing)
	}
	h.mu.Unlock()
	<-h.done
	r.afterwards.close()
	r.artifacts.release()
}

// begin notes a run; one that begins when all is closing is cancelled.
func (h *history) begin(x *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		x.cancel(errClosing)
		return
	}
	if h.going == nil {
		h.going = map[string]*run{}
	}
	h.going[x.id] = x
}

func (h *history) end(x *run, result *Result, started time.Time) {
	k := keptRun{
		summary: RunSummary{
			RunID: x.id, Status: result.Status, Summary: result.Summary, URI: x.request.URI,
			Started: started.UTC().Format(time.RFC3339), WallMs: result.Timing.WallMs,
		},
		result: result,
		code:   x.r.Redact.Known(x.request.Code), // OBS-4
		value:  x.omitted,
		bytes:  len(x.request.Code) + weight(result) + len(x.omitted),
	}
	x.mu.Lock()
	for _, c := range x.calls {
		k.results = append(k.results, c.result)
	}
	k.bytes += x.kept
	x.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.going[x.id]; ok {
		delete(h.going, x.id)
		if h.closed && len(h.going) == 0 {
			// The result is on its way; nothing of the run is left.
			defer close(h.done)
		}
	}
	h.kept = append(h.kept, k)
	h.bytes += k.bytes
	for len(h.kept) > maxKept || h.bytes > maxKeptBytes && len(h.kept) > 1 {
		h.bytes -= h.kept[0].bytes
		h.kept = slices.Delete(h.kept, 0, 1)
	}
}

func (h *history) running(id string) *run {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.going[id]
}

// keepResult keeps what a script got for a call.
func (x *run) keepResult(index int, value jsontext.Value) {
	if len(value) == 0 || len(value) > maxKeptResult {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.byIndex[index]; c != nil && x.kept+len(value) <= maxKeptResults {
		c.result = x.r.Redact.JSON(value) // OBS-4
		x.kept += len(value)
	}
}

// weight is about how much memory a result holds on to.
func weight(r *Result) int {
	n := len(r.Text) + len(r.Value)
	for _, l := range r.Logs {
		n += len(l.Text)
	}
	for _, o := range r.Output {
		n += len(o.Text) + len(o.Data)
	}
	for _, c := range r.Calls {
		n += len(c.Arguments) + len(c.Error)
	}
	return n
}
