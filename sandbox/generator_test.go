package sandbox

import (
	"testing"

	"codemode-ls/script"
)

// EXEC-17: what closes an async generator runs its finally blocks to their end.
func TestExec17FinallyOfAsyncGenerators(t *testing.T) {
	const log = "const log = [];\n"
	for code, want := range map[string]string{
		`async function* g() { try { yield 1 } finally { log.push('a'); await null; log.push('b'); await 0; log.push('c') } } for await (const x of g()) break; return log`:                                                                              `["a","b","c"]`,
		`async function* g() { try { yield 1 } finally { await tools.echo({}); log.push('closed') } } const it = g(); await it.next(); log.push(await it.return(5)); return log`:                                                                         `["closed",{"value":5,"done":true}]`,
		`async function* i() { try { yield 1; yield 2 } finally { log.push('i'); await 0; log.push('i2') } } async function* g() { try { yield* i() } finally { log.push('o'); await 0; log.push('o2') } } for await (const x of g()) break; return log`: `["i","i2","o","o2"]`,
		`async function* i() { try { yield 1 } finally { await 0; log.push('inner') } } async function* g() { for await (const x of i()) yield x } for await (const x of g()) break; return log`:                                                         `["inner"]`,
		`async function* g() { try { yield 1 } finally { await 0; yield 'last'; await 0; log.push('end') } } const it = g(); await it.next(); log.push((await it.return(5)).value, (await it.next()).done); return log`:                                  `["end","last",true]`,
		`async function* g() { await using r = { async [Symbol.asyncDispose]() { await 0; log.push('r') } }; await using s = { async [Symbol.asyncDispose]() { await 0; log.push('s') } }; yield 1 } for await (const x of g()) break; return log`:       `["s","r"]`,
		`async function* g() { try { yield 1 } finally { try { await Promise.reject(new Error('x')) } catch (e) { log.push(e.message) } await 0; log.push('after') } } for await (const x of g()) break; return log`:                                     `["x","after"]`,
	} {
		o, _ := runScript(t, log+code)
		if o.Status != Completed || string(o.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, o.Status, o.Value, o.Error, want)
		}
	}
}

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
		if f := r.runText(base+code, script.JavaScript); f.Status != Completed || string(f.value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.value, f.Error, want)
		}
	}
	r, _ := newTestRealm(t)
	if f := r.runText("class A {}\nclass B extends A {\n  y = 1 + super.no();\n}\nnew B();", script.JavaScript); f.Status != Thrown || f.Error.At == nil || f.Error.At.Line != 2 {
		t.Errorf("%+v", f.Error)
	}
}

// EXEC-8, EXEC-17: an async generator shows as one.
func TestExec17AsyncGeneratorObjects(t *testing.T) {
	r, rec := newTestRealm(t)
	f := r.runText(`async function* g() { yield 1 } const it = g(); console.log(it, { it });
		return [Object.keys(it), String(it), it[Symbol.asyncIterator]() === it, { ...it }, await it.next(), await it.return(2), await it.next()]`, script.JavaScript)
	const want = `[[],"[object AsyncGenerator]",true,{},{"value":1,"done":false},{"value":2,"done":true},{"done":true}]`
	if f.Status != Completed || string(f.value) != want || len(rec.logs) != 1 || rec.logs[0] != "Object [AsyncGenerator] {} { it: Object [AsyncGenerator] {} }" {
		t.Errorf("%s %s %+v %q", f.Status, f.value, f.Error, rec.logs)
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
		if f := r.runText(code, script.JavaScript); f.Status != Completed || string(f.value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.value, f.Error, want)
		}
	}
}
