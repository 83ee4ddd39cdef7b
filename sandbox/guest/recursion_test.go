package guest

import (
	"strings"
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-11: a script can catch that its functions call each other too deep, however
// they do it.
func TestExec11CatchRecursion(t *testing.T) {
	const seen = "const seen = (e) => e instanceof RangeError && e.message === 'Maximum call stack size exceeded' || String(e);\n"
	for name, code := range map[string]string{
		"toString":          "const o = { toString() { return `${this}` } };\ntry { String(o) } catch (e) { return seen(e) }",
		"valueOf":           "const o = { valueOf() { return +this } };\ntry { +o } catch (e) { return seen(e) }",
		"toPrimitive":       "const o = { [Symbol.toPrimitive]() { return +this } };\ntry { +o } catch (e) { return seen(e) }",
		"iterator":          "const o = { [Symbol.iterator]() { return [...this].values() } };\ntry { [...o] } catch (e) { return seen(e) }",
		"trap":              "const p = new Proxy({}, { get: (t, k, r) => r[k] });\ntry { p.x } catch (e) { return seen(e) }",
		"trap method":       "const p = new Proxy({}, { has(t, k) { return k in this.p }, p: null });\nconst h = { has(t, k) { return k in q } }, q = new Proxy({}, h);\ntry { 1 in q } catch (e) { return seen(e) }",
		"getter by key":     "const k = 'a', o = { get a() { return this[k] } };\ntry { o.a } catch (e) { return seen(e) }",
		"inherited getter":  "Object.defineProperty(Object.prototype, 'zz', { get() { return this.zz } });\ntry { ({}).zz } catch (e) { delete Object.prototype.zz; return seen(e) }",
		"in brackets":       "const m = {}; m['x'] = () => m['x']();\ntry { m.x() } catch (e) { return seen(e) }",
		"table":             "const m = {}, call = (n) => m[n](); m.a = () => call('a');\ntry { call('a') } catch (e) { return seen(e) }",
		"map":               "const m = new Map(); m.set('f', () => m.get('f')());\ntry { m.get('f')() } catch (e) { return seen(e) }",
		"map by name":       "const m = new Map(); m.set('f', () => { const g = m.get('f'); g() });\ntry { m.get('f')() } catch (e) { return seen(e) }",
		"itself":            "try { ((f) => f(f))((f) => f(f)) } catch (e) { return seen(e) }",
		"parameter":         "const a = async (g) => { await g(g) };\ntry { await a(a) } catch (e) { return seen(e) }",
		"Y":                 "const Y = (f) => ((x) => x(x))((x) => f((y) => x(x)(y)));\ntry { Y((s) => (n) => s(n + 1))(0) } catch (e) { return seen(e) }",
		"optional":          "try { ((f) => f?.(f))((f) => f?.(f)) } catch (e) { return seen(e) }",
		"default":           "const f = (d = f()) => d;\ntry { f() } catch (e) { return seen(e) }",
		"default of none":   "function f({ a = f({}) }) {}\ntry { f({}) } catch (e) { return seen(e) }",
		"default generator": "function* f(a = [...f()]) {}\ntry { f() } catch (e) { return seen(e) }",
		"field":             "class A { x = new A() }\ntry { new A() } catch (e) { return seen(e) }",
		"default new":       "class A { constructor(a = new A()) {} }\ntry { new A() } catch (e) { return seen(e) }",
		"tag":               "const t = () => t`x`;\ntry { t`y` } catch (e) { return seen(e) }",
		"function":          "function f() { return f() }\ntry { f() } catch (e) { return seen(e) }",
		"arrow":             "const f = (n) => f(n + 1);\ntry { f(0) } catch (e) { return seen(e) }",
		"assigned":          "let f; f = () => { f() };\ntry { f() } catch (e) { return seen(e) }",
		"each other":        "function a() { b() }\nfunction b() { c() }\nconst c = () => a();\ntry { c() } catch (e) { return seen(e) }",
		"method":            "const o = { m() { return this.m() } };\ntry { o.m() } catch (e) { return seen(e) }",
		"member":            "const o = {}; o.m = function () { return o.m() };\ntry { o.m() } catch (e) { return seen(e) }",
		"class":             "class A { m() { this.n() } n() { this.m() } }\ntry { new A().m() } catch (e) { return seen(e) }",
		"private":           "class A { #m() { this.#m() } n() { this.#m() } }\ntry { new A().n() } catch (e) { return seen(e) }",
		"static":            "class A { static m() { A.m() } }\ntry { A.m() } catch (e) { return seen(e) }",
		"constructor":       "class A { constructor() { new A() } }\ntry { new A() } catch (e) { return seen(e) }",
		"derived":           "class B {} class A extends B { constructor() { super(); new A() } }\ntry { new A() } catch (e) { return seen(e) }",
		"getter":            "const o = { get a() { return this.a } };\ntry { o.a } catch (e) { return seen(e) }",
		"setter":            "const o = { set a(x) { this.a = x } };\ntry { o.a = 1 } catch (e) { return seen(e) }",
		"callback":          "const f = (a) => a.map((x) => f(a));\ntry { f([1]) } catch (e) { return seen(e) }",
		"wrapped":           "const bind = (g) => g; const f = bind(function () { return f() });\ntry { f() } catch (e) { return seen(e) }",
		"inner":             "function f() { const g = () => { h() }; function h() { g() } g() }\ntry { f() } catch (e) { return seen(e) }",
		"named":             "const x = function f() { f() };\ntry { x() } catch (e) { return seen(e) }",
		"strict":            "function f() { 'use strict'; return this === undefined ? f() : 'sloppy' }\ntry { return f() } catch (e) { return seen(e) }",
		"async":             "async function f() { await f() }\ntry { await f() } catch (e) { return seen(e) }",
		"async catch":       "const f = async () => { await f() };\nreturn await f().catch(seen)",
		"async then":        "const f = async () => { await f() };\nreturn await f().then(undefined, seen)",
		"async later":       "async function f() { await null; g() }\nfunction g() { g() }\ntry { await f() } catch (e) { return seen(e) }",
		"generator":         "function* g() { yield* g() }\ntry { [...g()] } catch (e) { return seen(e) }",
		"async generator":   "async function* g() { yield* g() }\ntry { for await (const x of g()); } catch (e) { return seen(e) }",
		"finally":           "let n = 0; function f() { f() }\ntry { try { f() } finally { n++ } } catch (e) { return n === 1 && seen(e) }",
		"within":            "let n = 0; const f = () => { try { f() } catch (e) { n++; if (!seen(e)) throw e; throw e } };\ntry { f() } catch (e) { return n > 1000 && seen(e) }",
		"again":             "function f() { f() }\nlet n = 0; for (let i = 0; i < 20; i++) try { f() } catch (e) { n++ }\nreturn n === 20",
		"deep enough":       "function f(n) { return n === 0 ? true : f(n - 1) }\ntry { return f(6000) } catch (e) { return seen(e) }",
		"allSettled":        "const f = async () => { await f() };\nreturn seen((await Promise.allSettled([f()]))[0].reason)",
	} {
		for _, l := range []script.Language{script.JavaScript, script.TypeScript} {
			r, _ := newTestRealm(t)
			if f := r.runText(seen+code, l); f.Status != frame.Completed || string(f.Value) != "true" {
				t.Errorf("%s in %s: %s %s %+v", name, l, f.Status, f.Value, f.Error)
			}
		}
	}
}

// The place of such an error is where Node has it, whether it is caught or not.
func TestExec11RecursionPositions(t *testing.T) {
	for _, code := range []string{
		"function f() {\n  return f();\n}\n",
		"const f = () =>\n  f();\n",
		"const f = () => {\n  f();\n};\n",
	} {
		r, _ := newTestRealm(t)
		e := r.runText(code+"f()", script.JavaScript).Error
		if e == nil || e.Name != "RangeError" || e.At == nil || e.At.Line != 1 {
			t.Errorf("%q: %+v", code, e)
		}
		r, _ = newTestRealm(t)
		f := r.runText(code+"try { f() } catch (e) { return e.stack }", script.JavaScript)
		if stack := string(f.Value); !strings.HasPrefix(stack, `"RangeError: Maximum call stack size exceeded\n    at f (script.js:2:`) {
			t.Errorf("%q: %.200s %+v", code, stack, f.Error)
		}
	}
}
