package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: the error of Promise.any says what it is about.
func TestExec17PromiseAny(t *testing.T) {
	for code, want := range map[string]string{
		`try { await Promise.any([Promise.reject(1), Promise.reject(2)]) } catch (e) { return [e.name, e.message, e.errors, e instanceof AggregateError, Object.keys(e)] }`: `["AggregateError","All promises were rejected",[1,2],true,[]]`,
		`return Promise.any([]).catch((e) => [e.stack, Object.keys(e)])`:   `["AggregateError: All promises were rejected",[]]`,
		`return Promise.any([]).catch((e) => e.message + e.errors.length)`: `"All promises were rejected0"`,
		`return Promise.any([Promise.reject(1), Promise.resolve(2), 3])`:   `2`,
		`return Promise.any(5).catch((e) => e.name)`:                       `"TypeError"`,
		`let closed = 0; const it = { [Symbol.iterator]: () => ({ next: () => ({ value: { get then() { throw 4 } } }), return: () => (closed++, {}) }) }; class P extends Promise { static resolve(v) { return v } }; return P.any(it).catch((e) => [e, closed])`: `[4,1]`,
		`return [Promise.any.name, Promise.any.length, new AggregateError([]).message]`: `["any",1,""]`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
