package exec

import (
	"context"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/sandbox"
)

// await looks a name up that the pool does not have, or only from last time, when
// its server had the time to answer (LSP-1, MCP-5). The error is for whoever made
// the call: *sandbox.CallError.
func (r *Runner) await(ctx context.Context, name string) (*catalog.Tool, error) {
	var unavailable error
	if r.Await != nil && catalog.NamespaceOf(name) != "" {
		unavailable = r.Await(ctx, name)
	}
	pool := r.Pool()
	tool, ok := pool.Find(name)
	switch {
	case ok && (unavailable == nil || !pool.Cached(tool)):
		return tool, nil
	case unavailable != nil:
		message := shown(name) + " is not available: " + r.Redact.Text(normalise(unavailable))
		return nil, &sandbox.CallError{Message: message, Tool: shown(name), Code: CodeUnavailable}
	}
	return nil, unknownTool(pool, name)
}

// detours are the calls of a run that wait for their servers before they enter
// the funnel. No other server's calls wait for them (MCP-5), but those of one
// namespace enter in the order in which they were made (SCHED-1).
type detours struct {
	mu   sync.Mutex
	last map[string]*detour // by namespace
}

// A detour is one of them.
type detour struct {
	all       *detours
	namespace string
	before    *detour // the one in front of it; nil for none
	entered   chan struct{}
}

// take gives a call its place behind those that wait for the same namespace; nil
// when it need not wait, and none does. done must follow.
func (d *detours) take(name string, must bool) *detour {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !must && len(d.last) == 0 {
		return nil
	}
	namespace := catalog.NamespaceOf(name)
	before := d.last[namespace]
	if !must && before == nil {
		return nil
	}
	if d.last == nil {
		d.last = map[string]*detour{}
	}
	own := &detour{all: d, namespace: namespace, before: before, entered: make(chan struct{})}
	d.last[namespace] = own
	return own
}

// wait waits until the one in front has entered.
func (d *detour) wait(ctx context.Context) {
	if d.before == nil {
		return
	}
	select {
	case <-d.before.entered:
	case <-ctx.Done():
	}
	d.before = nil // or a chain of all calls stays in memory
}

// done lets the one behind it enter.
func (d *detour) done() {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	close(d.entered)
	if d.all.last[d.namespace] == d {
		delete(d.all.last, d.namespace)
	}
}
