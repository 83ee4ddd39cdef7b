package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: arrow functions have the arguments of the function that they are in.
func TestExec17ArgumentsOfArrowFunctions(t *testing.T) {
	for code, want := range map[string]string{
		`function g(a, b) { const f = () => arguments.length; return f() } return [g(), g(1), g(1, 2, 3)]`:                                           `[0,1,3]`,
		`function g() { const x = 1; const f = () => x + arguments[0]; return f() } return g(2)`:                                                     `3`,
		`function g() { return [...arguments].map((x) => [...arguments].indexOf(x)) } return g(5, 6)`:                                                `[0,1]`,
		`function g(a) { { const f = () => () => [arguments.length, a]; return f()() } } return g(1, 2)`:                                             `[2,1]`,
		`function g() { 'use strict'; return (() => ({ arguments }).arguments.length)() } return g(1, 2)`:                                            `2`,
		`function g(a = () => arguments.length, { b = () => arguments[1] } = {}) { return [a(), b() === undefined] } return [g(), g(undefined, {})]`: `[[0,true],[2,false]]`,
		`const o = { m() { return [1].map(() => arguments[0]) }, get x() { return (() => arguments.length)() } }; return [o.m(7), o.x]`:              `[[7],0]`,
		`class A { constructor() { this.f = () => arguments[0] } static s() { return (() => arguments.length)() } } return [new A(3).f(), A.s(1)]`:   `[3,1]`,
		`async function g() { const f = async () => { await null; return [...arguments] }; return f() } return [await g(), await g(1, 2)]`:           `[[],[1,2]]`,
		`function* g() { const f = () => [...arguments]; yield f() } return [...g(1, 2)]`:                                                            `[[1,2]]`,
		`async function* g() { const f = () => [...arguments]; yield f() } for await (const x of g(1, 2)) return x`:                                  `[1,2]`,
		`const f = async () => [...arguments]; return [await f(9), (() => arguments.length)()]`:                                                      `[[],0]`,
		`function g() { let arguments = 5; return (() => arguments)() } function h(arguments) { return (() => arguments)() } return [g(), h(6)]`:     `[5,6]`,
		`function g(n) { try { return n ? g(n - 1) : (() => arguments.length)() } catch {} } return g(2)`:                                            `1`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
