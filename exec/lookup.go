package exec

import (
	"context"
	"errors"

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
