package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: super in async generators, which the transpiler makes other functions of.
func TestExec17SuperInAsyncGenerators(t *testing.T) {
	const all = "const all = async (it) => { const a = []; for await (const x of it) a.push(x); return a };\n"
	for code, want := range map[string]string{
		`class A { m(a) { return 'A' + a + this.n } } class B extends A { n = 1; async *g(a) { yield super.m(a) } } return all(new B().g(2))`:                                                                                                            `["A21"]`,
		`class A { get x() { return this.n } } class B extends A { n = 1; async *g() { yield super.x; const f = () => super.x + super['x']; yield f() } } return all(new B().g())`:                                                                       `[1,2]`,
		`class A { static s() { return 's' + this.name } } class B extends A { static async *g() { yield super.s() } } return all(B.g())`:                                                                                                                `["sB"]`,
		`class A { async *it() { yield 1; yield 2 } } class B extends A { async *it() { yield 0; yield* super.it(); for await (const x of super.it()) yield x * 10 } } return all(new B().it())`:                                                         `[0,1,2,10,20]`,
		`const base = { m() { return this.v } }; const o = { __proto__: base, v: 7, async *g() { yield super.m(); yield super.no?.(1); super.z = 5; yield this.z } }; return all(o.g())`:                                                                 `[7,null,5]`,
		`class A { q() { return 1 } } class B extends A { async *#h() { yield super.q() } h() { return this.#h() } } return all(new B().h())`:                                                                                                            `[1]`,
		`class A { x() { return 1 } } class B extends A { async *g() { class C extends A { y() { return super.x() } } yield new C().y() + super.x() } } return all(new B().g())`:                                                                         `[2]`,
		`class A { m() { throw new Error('x') } } class B extends A { async *g() { yield super.m() } } try { await all(new B().g()) } catch (e) { return e.message }`:                                                                                    `"x"`,
		`class A { x = 1; m(d = 2) { return d } } class B extends A { async *g(a, b = super.m(3)) { yield a + b; yield* [super.m(), super.m(4)] } } return all(new B().g(1))`:                                                                            `[4,2,4]`,
		`class A { m() { return 1 } } class B extends A { async *g(n) { if (n > 0) { yield super.m() + n; yield* this.g(n - 1) } } } try { return await all(new B().g(2)) } catch { return 'no' }`:                                                       `[3,2]`,
		`class A { m() { return 1 } static s = 2 } class B extends A { async *g() { yield super.m === A.prototype.m; yield super.constructor.name + super.constructor.s; yield super.toString.call(5) } } return all(new B().g())`:                       `[true,"A2","[object Number]"]`,
		`class A { static K = class { v = 3 }; static m() { return this.name } } class B extends A { static async *g() { yield new super.K().v; yield super.K.name; yield super.m` + "``" + `; const f = super.m; yield f === A.m } } return all(B.g())`: `[3,"K","B",true]`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(all+code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
