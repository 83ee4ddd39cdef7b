package exec

import (
	"context"
	"errors"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/sandbox"
)

// await is Runner.Await for any name, with errors that may be shown.
func (r *Runner) await(name string) (wait func(context.Context) error, unavailable error) {
	if r.Await == nil || catalog.NamespaceOf(name) == "" {
		return nil, nil
	}
	clean := func(err error) error {
		if err == nil {
			return nil
		}
		return errors.New(r.Redact.Text(normalise(err)))
	}
	bare, unavailable := r.Await(name)
	if bare == nil {
		return nil, clean(unavailable)
	}
	return func(ctx context.Context) error { return clean(bare(ctx)) }, nil
}

// away is why the server of a tool that is not in the pool has none now, nil when
// that is not the reason.
func (r *Runner) away(name string) error {
	wait, unavailable := r.await(name)
	if wait != nil {
		return errors.New("its server is still connecting")
	}
	return unavailable
}

// awaitUsed is the pool that a script is checked against before it runs: with the
// tools that it names, when their servers had the time to answer.
func (x *run) awaitUsed(ctx context.Context, pool *catalog.Catalog) *catalog.Catalog {
	if x.request.Replay != nil {
		return pool
	}
	for _, u := range x.source.Uses() {
		if t, ok := pool.Find(u.Name); ok && !pool.Cached(t) {
			continue
		}
		if wait, _ := x.r.await(u.Name); wait != nil {
			_ = wait(ctx) // the check says what is not there
			pool = x.r.Pool()
		}
	}
	return pool
}

// lookUp is the tool of that name. unavailable is why its server is not there; an
// error is for whoever made the call: *sandbox.CallError.
func lookUp(pool *catalog.Catalog, name string, unavailable error) (*catalog.Tool, error) {
	tool, ok := pool.Find(name)
	switch {
	case ok && (unavailable == nil || !pool.Cached(tool)):
		return tool, nil
	case unavailable != nil:
		return nil, &sandbox.CallError{Message: shown(name) + " is not available: " + unavailable.Error(), Tool: shown(name), Code: CodeUnavailable}
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
	server    func(context.Context) error // waits for it; nil when there is no need
	before    *detour                     // the one in front of it; nil for none
	entered   chan struct{}
}

// take gives a call its place behind those that wait for the same namespace. It
// is nil when the call has nothing to wait for, and none does. done must follow.
func (d *detours) take(name string, wait func(context.Context) error) *detour {
	d.mu.Lock()
	defer d.mu.Unlock()
	if wait == nil && len(d.last) == 0 {
		return nil
	}
	namespace := catalog.NamespaceOf(name)
	before := d.last[namespace]
	if wait == nil && before == nil {
		return nil
	}
	if d.last == nil {
		d.last = map[string]*detour{}
	}
	own := &detour{all: d, namespace: namespace, server: wait, before: before, entered: make(chan struct{})}
	d.last[namespace] = own
	return own
}

// wait waits for the server, and until the call in front has entered. The error is
// why the server is not there.
func (d *detour) wait(ctx context.Context) (unavailable error) {
	if d.server != nil {
		unavailable = d.server(ctx)
	}
	if d.before != nil {
		select {
		case <-d.before.entered:
		case <-ctx.Done():
		}
		d.before = nil // or a chain of all calls stays in memory
	}
	return unavailable
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
