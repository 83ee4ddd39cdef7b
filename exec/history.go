package exec

import (
	"slices"
	"sync"
	"time"
)

// How much is kept of ended runs (OBS-2).
const (
	maxKept      = 100
	maxKeptBytes = 64 << 20
)

// history knows the runs that go on and keeps the newest that have ended.
type history struct {
	mu    sync.Mutex // guards what follows
	going map[string]*run
	kept  []keptRun // oldest first
	bytes int
}

type keptRun struct {
	summary RunSummary
	result  *Result
	code    string
	bytes   int
}

// RunSummary is one kept run (OBS-2).
type RunSummary struct {
	RunID   string `json:"runId"`
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	URI     string `json:"uri,omitzero"`
	Started string `json:"started"` // RFC 3339
	WallMs  int64  `json:"wallMs"`
}

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

// Find returns a kept run and its code.
func (r *Runner) Find(runID string) (result *Result, code string, ok bool) {
	h := &r.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.kept {
		if k.summary.RunID == runID {
			return k.result, k.code, true
		}
	}
	return nil, "", false
}

func (h *history) begin(x *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
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
		code:   x.request.Code,
		bytes:  len(x.request.Code) + weight(result),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.going, x.id)
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
