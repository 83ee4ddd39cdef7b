package exec

import (
	"context"
	"runtime/debug"
	"strings"

	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// What a script needs beside the funnel: its calls taken in one after the other,
// and results turned into values.

// answer takes a script's call to where it is answered: through the funnel, or to
// the reserved namespace.
func (x *run) answer(ctx context.Context, sc sandbox.Call) (value jsontext.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.r.log().Error("panic in a call", "run", x.id, "panic", p, "stack", string(debug.Stack()))
			value, err = nil, &sandbox.CallError{Message: "internal error in the call of " + shown(sc.Name), Tool: shown(sc.Name)}
		}
	}()
	c, value, err := x.admit(ctx, sc)
	if c != nil {
		defer x.shed(c)
	}
	if c != nil && c.later != nil && err == nil {
		return c.later(ctx)
	}
	if c == nil || c.tool == nil || err != nil {
		return value, err
	}
	if x.sample != nil {
		return x.pretend(c)
	}
	result, err := x.pass(ctx, c)
	if err != nil {
		return nil, err
	}
	return x.value(c, result)
}

// admit takes a call in, one after the other in the order of the script: look
// up, count, and the entrance of the funnel. What comes back finished needs no
// more: members of the reserved namespace, and whatever is refused.
func (x *run) admit(ctx context.Context, sc sandbox.Call) (*call, jsontext.Value, error) {
	defer x.admission.done(sc.Index)
	x.admission.wait(sc.Index)
	if len(sc.Arguments) == 0 {
		sc.Arguments = jsontext.Value(`{}`)
	}
	if member, ok := strings.CutPrefix(sc.Name, reserved); ok {
		return x.admitMember(sc, member)
	}
	pool := x.r.Pool()
	tool, ok := pool.Find(sc.Name)
	var wait func(context.Context) error
	var unavailable error
	if !ok || x.sample == nil && pool.Cached(tool) {
		wait, unavailable = x.r.await(sc.Name)
	}
	detour := x.detours.take(sc.Name, wait)
	if detour != nil {
		defer detour.done()
		x.admission.done(sc.Index) // the calls behind it do not wait for its server
		unavailable = detour.wait(ctx)
		pool = x.r.Pool()
		if ctx.Err() != nil {
			if _, ok := pool.Find(sc.Name); !ok {
				return nil, nil, context.Cause(ctx)
			}
			unavailable = nil // the run has ended, whatever has become of the server
		}
	}
	if !ok || detour != nil || unavailable != nil {
		var err error
		if tool, err = lookUp(pool, sc.Name, unavailable); err != nil {
			// It never reached the host: it does not count (SUM-5).
			x.unknownSpan()
			if x.sample != nil {
				x.planDenied(sc, err)
			}
			return nil, nil, err
		}
	}
	c, err := x.count(sc, tool)
	if err != nil {
		return c, nil, err
	}
	if x.sample == nil {
		x.enter(ctx, c)
	}
	return c, nil, nil
}

// value turns a result into the value that the script gets (EXEC-3, EXEC-4). It
// ends the call's record.
func (x *run) value(c *call, r *upstream.Result) (jsontext.Value, error) {
	if r.IsError {
		return nil, x.toolError(c, r)
	}
	value := jsontext.Value("null")
	switch {
	case r.Structured != nil:
		value = r.Structured
	case r.HasText:
		value = quote(r.Text)
	}
	if len(value) > x.limits.MaxValueBytes {
		return nil, x.fail(c, CallFailed, CodeTooLarge, "the result is too large for a script (exec.maxValueBytes)", nil)
	}
	if r.Structured != nil { // what its text would have held must not disappear
		x.mu.Lock()
		x.attach(c, r.Attachments, true)
		x.mu.Unlock()
	}
	x.status(c, CallCompleted)
	return value, nil
}
