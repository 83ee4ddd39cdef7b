package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
)

// maxModels is how many requests to models are under way at a time.
const maxModels = 4

// reasons why a model stopped that are this program's own.
const (
	stopDone    = "stop"
	stopError   = "error"
	stopTimeout = "timeout"
)

// model performs a use of models.list, models.classify or models.generate. It
// waits for its turn, which stops the run's clock as the queue of tools does,
// and then for the editor, which the clock counts as it counts a tool.
func (x *run) model(ctx context.Context, c *call, q ModelRequest) (jsontext.Value, error) {
	x.status(c, CallQueued)
	entered := time.Now()
	release := x.clock.Hold(sandbox.ForQueue)
	turns := x.r.modelTurns()
	var err error
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-ctx.Done():
		err = ctx.Err()
	}
	release()
	c.queued = time.Since(entered)
	if err != nil {
		return nil, x.fail(c, CallCancelled, CodeCancelled, errNotSent.Error(), nil)
	}
	x.status(c, CallRunning)
	limit := x.limits.CallTimeout
	if limit <= 0 {
		limit = config.DefaultLimits().CallTimeout
	}
	asked, cancel := context.WithTimeoutCause(ctx, limit, errCallTimeout)
	defer cancel()
	q.RunID, q.URI = x.id, x.request.URI
	answer, err := x.request.Models.Model(asked, q)
	if ctx.Err() != nil {
		return nil, x.fail(c, CallCancelled, CodeCancelled, "cancelled", nil)
	}
	if err != nil {
		x.r.log().Warn("model failed", "run", x.id, "operation", q.Operation, "err", err)
		answer = ModelAnswer{StopReason: stopError, ErrorMessage: normalise(err)}
		if context.Cause(asked) == errCallTimeout {
			answer = ModelAnswer{StopReason: stopTimeout, ErrorMessage: "the model did not answer in time"}
		}
	}
	x.used(answer.Usage)
	value, err := answer.value(q)
	if err != nil {
		return nil, x.fail(c, CallFailed, CodeToolError, err.Error(), nil)
	}
	if len(value) > x.limits.MaxValueBytes {
		return nil, x.fail(c, CallFailed, CodeTooLarge, "the answer is too large for a script (exec.maxValueBytes)", nil)
	}
	x.mu.Lock()
	c.record.ResultBytes = len(value)
	x.mu.Unlock()
	x.status(c, CallCompleted)
	return value, nil
}

// modelTurns has one place for each request that may be under way.
func (r *Runner) modelTurns() chan struct{} {
	r.turnsOnce.Do(func() { r.turns = make(chan struct{}, maxModels) })
	return r.turns
}

// used counts a request to a model, and the tokens that it is said to have used.
func (x *run) used(u *ModelUsage) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.usage == nil {
		x.usage = &Usage{}
	}
	x.usage.ModelCalls++
	if u != nil {
		x.usage.InputTokens += max(u.InputTokens, 0)
		x.usage.OutputTokens += max(u.OutputTokens, 0)
	}
}

// value is what a script gets, in the shape of the member's schema, whatever the
// editor has answered. A list that failed is an error: it has no stopReason.
func (a ModelAnswer) value(q ModelRequest) (jsontext.Value, error) {
	if a.StopReason == "" {
		a.StopReason = stopDone
		if a.ErrorMessage != "" {
			a.StopReason = stopError
		}
	}
	switch q.Operation {
	case "list":
		if a.StopReason != stopDone {
			return nil, fmt.Errorf("the models cannot be listed: %s", a.ErrorMessage)
		}
		list := slices.DeleteFunc(append([]Model{}, a.Models...), func(m Model) bool { return m.ID == "" })
		return marshal(list)
	case "classify":
		if a.StopReason == stopDone && !slices.Contains(q.Labels, a.Label) {
			a.StopReason, a.ErrorMessage = stopError, "the model chose none of the labels"
		}
		var label *string
		if slices.Contains(q.Labels, a.Label) {
			label = &a.Label
		}
		return marshal(struct {
			Label *string `json:"label"`
			modelEnd
		}{label, a.end()})
	}
	return marshal(struct {
		Text string `json:"text"`
		modelEnd
	}{a.Text, a.end()})
}

// modelEnd is the part that the values of classify and generate share.
type modelEnd struct {
	StopReason   string      `json:"stopReason"`
	ErrorMessage string      `json:"errorMessage,omitzero"`
	Usage        *ModelUsage `json:"usage,omitzero"`
}

func (a ModelAnswer) end() modelEnd { return modelEnd{a.StopReason, a.ErrorMessage, a.Usage} }

// sampleModel is the answer in a dry run: no model receives it.
func sampleModel(q ModelRequest) ModelAnswer {
	a := ModelAnswer{StopReason: stopDone, Text: "sample output of a model"}
	if len(q.Labels) > 0 {
		a.Label = q.Labels[0]
	}
	return a
}

var errNoModels = errors.New("no model can be reached here: the editor that runs the script offers none (it would say so by the capability experimental.codemode.models)")

// hasModels reports whether a run has somebody who offers models.
func (q *Request) hasModels() bool { return q.Models != nil }

// offer is what a run has beside the pool: what the workspace offers, and the
// models of whoever asked for the run.
func (x *run) offer(pool *catalog.Catalog) catalog.Offer {
	o := pool.Offer()
	o.Models = x.request.hasModels()
	return o
}
