package exec

import (
	"context"
	"sync"

	"codemode-ls/catalog"
)

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
