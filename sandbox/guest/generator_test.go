package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: super in what a field begins with.
func TestExec17SuperInFields(t *testing.T) {
	const base = "class A { n = 1; m(a) { return 'A' + (a ?? '') + this.n } get x() { return 2 } static s() { return 's' + this.name } }\n"
	for code, want := range map[string]string{
		`class B extends A { y = super.m(); z = [super.x, super['m'](3)] } const b = new B(); return [b.y, b.z]`:                                                                             `["A1",[2,"A31"]]`,
		`class B extends A { static t = super.s(); u = { k: super.x, f: () => super.m(), get g() { return 4 } } } const { u } = new B(); return [B.t, u.k, u.f(), u.g]`:                      `["sB",2,"A1",4]`,
		`class B extends A { #p = super.m(this.n); p() { return this.#p } f = function () { return 'plain' }; g = () => super.x } const b = new B(); return [b.p(), b.f(), b.g(), b.g.name]`: `["A11","plain",2,"g"]`,
		`class B extends A { y = class extends A { z = super.x }; w = new this.y().z + super.x } return new B().w`:                                                                           `4`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(base+code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
	r, _ := newTestRealm(t)
	if f := r.runText("class A {}\nclass B extends A {\n  y = 1 + super.no();\n}\nnew B();", script.JavaScript); f.Status != frame.Thrown || f.Error.At == nil || f.Error.At.Line != 2 {
		t.Errorf("%+v", f.Error)
	}
}

// EXEC-8, EXEC-17: an async generator shows as one.
func TestExec17AsyncGeneratorObjects(t *testing.T) {
	r, rec := newTestRealm(t)
	f := r.runText(`async function* g() { yield 1 } const it = g(); console.log(it, { it });
		return [Object.keys(it), String(it), it[Symbol.asyncIterator]() === it, { ...it }, await it.next(), await it.return(2), await it.next()]`, script.JavaScript)
	const want = `[[],"[object AsyncGenerator]",true,{},{"value":1,"done":false},{"value":2,"done":true},{"done":true}]`
	if f.Status != frame.Completed || string(f.Value) != want || len(rec.logs) != 1 || rec.logs[0] != "Object [AsyncGenerator] {} { it: Object [AsyncGenerator] {} }" {
		t.Errorf("%s %s %+v %q", f.Status, f.Value, f.Error, rec.logs)
	}
}

// EXEC-17: a return in a try statement of an async generator awaits there.
func TestExec17ReturnInAsyncGenerators(t *testing.T) {
	for code, want := range map[string]string{
		`async function* g() { try { return Promise.reject(new Error('x')) } catch (e) { yield 'caught ' + e.message } } const r = []; for await (const x of g()) r.push(x); return r`: `["caught x"]`,
		`async function* g() { try { for (const x of [1]) return (async () => { throw 7 })() } catch (e) { return 'c' + e } } const i = g(); return [await i.next(), await i.next()]`:  `[{"value":"c7","done":true},{"done":true}]`,
		`const o = { async *m() { try { const f = () => { return Promise.reject(3) }; await null; return f() } catch (e) { return e + 1 } } }; return o.m().next()`:                    `{"value":4,"done":true}`,
		`async function* g() { for (const x of [1]) { try { yield 1; return x } finally { yield 'f' } } } const i = g(); return [await i.next(), await i.next(), await i.next()]`:      `[{"value":1,"done":false},{"value":"f","done":false},{"value":1,"done":true}]`,
		`async function* g() { for await (const x of [1]) return Promise.reject(5) } try { await g().next() } catch (e) { return 'out ' + e }`:                                         `"out 5"`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
