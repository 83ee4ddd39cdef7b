package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: values and texts at which goja itself gives up are what the language says.
func TestExec17NoEngineFailure(t *testing.T) {
	for code, want := range map[string]string{
		`return (await { constructor: Promise, a: 1 }).a`:                                                        `1`,
		`const o = { then: 1, constructor: Promise }; return await o === o`:                                      `true`,
		`return (await Promise.resolve({ constructor: Promise, a: 1 })).a`:                                       `1`,
		`for await (const x of [{ constructor: Promise, a: 1 }]) return x.a`:                                     `1`,
		`async function* g() { yield { constructor: Promise, a: 1 } } for await (const x of g()) return x.a`:     `1`,
		`try { await new Proxy(Promise.resolve(1), {}) } catch (e) { return e instanceof TypeError }`:            `true`,
		`try { await Object.create(Promise.prototype) } catch (e) { return e instanceof TypeError }`:             `true`,
		`return await new Proxy({}, { get: (t, k) => k === 'then' ? (f) => f(5) : 0 })`:                          `5`,
		`class P extends Promise {} return await new P((f) => f(3))`:                                             `3`,
		`class P extends Promise {} const p = P.resolve(1); return p instanceof P && P.resolve(p) === p`:         `true`,
		`const p = Promise.resolve(1); return Promise.resolve(p) === p && Promise.resolve.length`:                `1`,
		`return [await Promise.resolve(NaN), await Promise.resolve('\ud800'), await NaN, await '\ud800'].length`: `4`,
		`return '\u{10FFFF}'.codePointAt(0) === 0x10ffff && "\u{10ffff}".length`:                                 `2`,
		"return `a\\u{10FFFF}${1}\\u{0010FFFF}`.length":                                                          `6`,
		`const o = { '\u{10FFFF}': 1 }; return Object.keys(o)[0].length`:                                         `2`,
		`return /^\u{10FFFF}$/u.test('\u{10FFFF}') && '` + "\U0010ffff" + `'.length`:                             `2`,
		`const 𠮷 = { 𠮷: 1 }; return 𠮷.𠮷`:                                                                         `1`,
		`const order = []; const f = async (n, v) => { for (let i = 0; i < 2; i++) { await v; order.push(n) } }; await Promise.all([f(1, {}), f(2), f(3, { then: 1 })]); return order.join('')`:                                                           `"123123"`,
		`let n = 0; const x = { get constructor() { n++; return n > 1 ? Promise : Object } }; await x; await Promise.resolve(x); return n`:                                                                                                                `0`,
		`const x = { get constructor() { throw 1 } }; return (await x) === x && (await Promise.all([x]))[0] === x`:                                                                                                                                        `true`,
		`class S extends Promise {} const o = { constructor: S }; const p = S.resolve(o); return p instanceof S && (await p) === o && (await S.all([o]))[0] === o && (await S.race([o])) === o`:                                                           `true`,
		`const s = []; for (const c of [{}, () => {}, function () { return {} }, function (f) { f(1, 2) }, function (f) { f(() => {}, () => {}); f(1, 2) }]) try { Promise.resolve.call(c, {}); s.push(0) } catch (e) { s.push(e.name) } return s.join()`: `"TypeError,TypeError,TypeError,TypeError,TypeError"`,
		`Promise.prototype.constructor = Object; return (await { a: 1 }).a`:                                                                                                                                                                               `1`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
