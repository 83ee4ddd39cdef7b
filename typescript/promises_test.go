package typescript

import (
	"strings"
	"testing"
	"unicode/utf16"

	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// promiseTools are declarations for texts about promises.
const promiseTools = `
interface Tools { a(input?: any): Promise<{ b: string }>; b(input?: any): Promise<{ b: string }>; c(input?: any): Promise<{ b: string }>;
  d(input?: any): Promise<{ b: string }>; e(input?: any): Promise<{ b: string }>; f(input?: any): Promise<{ b: string }>; g(input?: any): Promise<{ b: string }>;
  readonly $codemode: CodeMode }
interface CodeMode { store(input: { key: string; value: unknown }): Promise<void> }
declare const tools: Tools;
interface Console { log(...all: unknown[]): void }
declare const console: Console;
declare const xs: any[], ys: any[], x: any, y: any, z: any, s: any, f: any, g: any, log: any, make: any, jobs: any;
`

// EXEC-14: what nobody awaits, what would have to be awaited, and what is no mistake.
func TestPromises(t *testing.T) {
	e := newEngine(t)
	e.SetDeclarations(promiseTools)
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "await tools.a({}); void tools.b({}); return tools.c({})", ""},
		{"a statement", "tools.a({});", "a: tools.a({})"},
		{"with then", "tools.a({}).then((x) => x).finally(f)", "a: tools.a({}).then((x) => x).finally(f)"},
		{"dealt with", "tools.a({}).catch(f); tools.b({}).then(f, g)", ""},
		{"operands", "x && tools.a({}); y ? tools.b({}) : tools.c({})\nz ?? tools.d({})", "a: tools.a({})|b: tools.b({})|c: tools.c({})|d: tools.d({})"},
		{"operands of comparisons", "x === y && tools.a({}); x !== y || tools.b({})", "a: tools.a({})|b: tools.b({})"},
		{"operands that are used", "const a = x && tools.a({}); f(a); return y ? tools.b({}) : tools.c({}); g(x || tools.d({}))", ""},
		{"in parentheses", "(tools.a({}));", "a: tools.a({})"},
		{"forEach", "xs.forEach((x) => tools.a({ x }))", ": xs.forEach((x) => tools.a({ x })) callback forEach"},
		{"forEach of a set", "new Set(xs).forEach((x) => tools.a({ x }))", ": new Set(xs).forEach((x) => tools.a({ x })) callback forEach"},
		{"forEach with async", "a.b(c)[0].forEach(async (x) => { await tools.a({ x }) })", ": a.b(c)[0].forEach(async (x) => { await tools.a({ x }) }) callback forEach"},
		{"forEach without calls", "xs.forEach(async (x) => { await f(x) }); xs.forEach((x) => f(x))", ""},
		{"map", "xs.map((x) => tools.a({ x }));", ": xs.map((x) => tools.a({ x })) list"},
		{"map that is used", "const ps = xs.map((x) => tools.a({ x })); await Promise.all(ps); await Promise.all(xs.map((x) => tools.b({ x })))", ""},
		{"map that is forgotten", "const ps = xs.map((x) => tools.a({ x }))", ": xs.map((x) => tools.a({ x })) list"},
		{"operands of a comma", "tools.a({}), tools.b({}); x, y && tools.c({}); await tools.d({}), tools.e({})\nf(x), tools.g({}), z", "a: tools.a({})|b: tools.b({})|c: tools.c({})|e: tools.e({})|g: tools.g({})"},
		{"commas of something else", "f(\n  tools.a({}),\n  tools.b({})\n); const c = tools.c({}), d = tools.d({}); return [c, d], tools.e({}); x = 1, tools.f({}); g(c, d)", "f: tools.f({})"},
		{"asserted to be something", "tools.a({}) as unknown as Map<string, A>; x && tools.b({}) satisfies B\nconst p = tools.c({}) as C", "a: tools.a({})|b: tools.b({})|c: tools.c({})"},
		{"asserted and used", "const p = tools.a({}) as A; f(p); return g(tools.b({}) as B), (await (tools.c({}) as C)).d", ""},
		{"a list of its own", "[tools.a({}), tools.b({})];\nconst ps = [tools.c({})];", "a: tools.a({})|b: tools.b({})|c: tools.c({})"},
		{"lists that are used", "const ps = [tools.a({})], [q] = [tools.b({})]; xs[tools.c({})]; f(ps, q)", ""},
		{"looked at and forgotten", "const p = tools.a({}); if (typeof p === 'object' && p !== x) f(); const q = p; const r = q; if (!r) f()", "a: tools.a({})"},
		{"forgotten in its block", "for (const x of xs) { const p = tools.a({ x }) } const p = tools.b({}); await p", "a: tools.a({ x })"},
		{"given another name and used", "const p = tools.a({}); const q = p; f(q); const r = tools.b({}); s = r; let t = tools.c({}); g(() => t)", ""},
		{"Promise.all", "Promise.all([tools.a({}), tools.b({})])", ": Promise.all([tools.a({}), tools.b({})])"},
		{"Promise.all over map", "Promise.allSettled(xs.map((x) => tools.a({ x }))).then(f)", ": Promise.allSettled(xs.map((x) => tools.a({ x }))).then(f)"},
		{"made a text", "return `${tools.a({})}` + JSON.stringify(tools.b({})) + String(tools.c({}))", ": tools.a({}) used|: tools.b({}) used|: tools.c({}) used"},
		{"added to a text", "return \"a\" + tools.a({}) + `b` + tools.b({}); const s = tools.c({}) + 'c'; f(s)", ": tools.a({}) used|: tools.b({}) used|: tools.c({}) used"},
		{"logged", "console.log('a', tools.a({}), await tools.b({})); console.table?.(tools.c({}))", ": tools.a({}) used|: tools.c({}) used"},
		{"not added to a text", "return 'a' + await tools.a({}) + (await tools.b({})) + 'b'; log(tools.c({})); console.log(await Promise.all([tools.d({})]))", ""},
		{"not made a text", "return `${await tools.a({})}` + JSON.stringify({ b: tools.b({}) })", ": tools.b({}) used"},
		{"forgotten", "const p = tools.a({}); const q = tools.b({}); return q", "a: tools.a({})"},
		{"a function", "async function main() { await tools.a({}) }\nmain()\nawait main(); return main()", ": main()"},
		{"a function that calls another", "const f = async () => { await tools.a({}) }; const g = async () => { await f() }; g();", ": g()"},
		{"a function that keeps its promises", "const all = []; async function start(x) { const p = tools.a({ x }); all.push(p); return p } start(1); await Promise.all(all)", ""},
		{"a function with promises of its own", "async function main() { const all = []; all.push(tools.a({})); let p = tools.b({}); p = tools.c({}); await Promise.all(all) } main()", "b: tools.b({})|c: tools.c({})|: main()"},
		{"a function that makes a promise", "const get = (id) => tools.a({ id }); get(1); const p = get(2); return p", ": get(1)"},
		{"a function without calls", "async function f() { await g() }\nf()", ""},
		{"called at once", "(async () => { await tools.a({}) })();\nawait (async () => { await tools.b({}) })()", ": (async () => { await tools.a({}) })()"},
		{"where await is not allowed", "function f() { tools.a({}) }", "a: tools.a({}) not async"},
		{"in a method", "class A { async m() { tools.a({}) } n() { tools.b({}) } }", "a: tools.a({})|b: tools.b({}) not async"},
		{"by another name", "const t = tools, { a, b: c, ...rest } = tools, d = tools.d;\nt.e({}); a({}); c({}); d({}); rest.f({})", "e: t.e({})|a: a({})|b: c({})|d: d({})|f: rest.f({})"},
		{"a typed arrow", "const main = async (a: { b: string }): Promise<Record<string, number>> => { await tools.a({}) }\nmain({});", ": main({})"},
		{"a variable with a type", "const f: (x: string) => Promise<void> = async (x) => { await tools.a({ x }) }\nf('');", ": f('')"},
		{"a generic function", "async function f<T extends object>(x: T): Promise<T> { await tools.a({}); return x }\nf({})", ": f({})"},
		{"a function expression", "const f = async function () { await tools.a({}) }\nf()", ": f()"},
		{"a function that returns the promise", "function f() { return tools.a({}) } const g = () => { return Promise.all([tools.b({})]) }\nf(); g(); await f(); return g()", ": f()|: g()"},
		{"a function that returns something else", "function f(x) { if (x) return x; g(() => { return tools.a({}) }); return 1 }\nf(1)", ""},
		{"a method", "class A { async m() { await tools.a({}) } async n(): Promise<void> { this.m(); await this.m() } }\nconst a = new A(); a.n(); await a.n(); new A().m(); return a.m()", ": this.m()|: a.n()|: new A().m()"},
		{"a private and a static method", "class A { async #m() { await tools.a({}) } static async s() { new A().#m() } }\nA.s()", ": new A().#m()|: A.s()"},
		{"a field of a class", "class A { m = async () => { await tools.a({}) } }\nnew A().m()", ": new A().m()"},
		{"a property", "const o = { a: async () => { await tools.a({}) }, async b() { await tools.b({}) } };\no.a(); o.b(); o.c()", ": o.a()|: o.b()"},
		{"methods that are not meant", "class A { async set(x) { await tools.a({ x }) } async m() { await tools.b({}) } } class B { m() { return 1 } }\nnew Map().set(1, 2); new B().m()", ""},
		{"a function that calls a method", "class A { async m() { await tools.a({}) } }\nasync function main() { await new A().m() }\nmain()", ": main()"},
		{"forEach by name", "const f = async (x) => { await tools.a({ x }) }\nxs.forEach(f); await Promise.all(xs.map(f))", ": xs.forEach(f) callback forEach"},
		{"map by name", "const f = async (x) => { await tools.a({ x }) }\nxs.map(f); ys = xs.map(f)", ": xs.map(f) list"},
		{"map with async", "xs.map(async (x) => { await tools.a({ x }) }); const ys = xs.map(async (x) => await tools.a({ x })); await Promise.all(ys)", ": xs.map(async (x) => { await tools.a({ x }) }) list"},
		{"a promise for a condition", "return xs.filter(async (x) => (await tools.a({ x })).b).length + ys.find((y) => tools.b({ y }))", ": xs.filter(async (x) => (await tools.a({ x })).b) callback filter|: ys.find((y) => tools.b({ y })) callback find"},
		{"a condition without calls", "class A { find(f) {} }\nreturn [xs.filter(async (x) => x), new A().find(async (x) => { await tools.a({ x }) })]", ""},
		{"returned in a list", "return xs.map((x) => tools.a({ x }))", ": xs.map((x) => tools.a({ x })) list used"},
		{"returned in a list by async", "return xs.map(async (x) => { await tools.a({ x }) })", ": xs.map(async (x) => { await tools.a({ x }) }) list used"},
		{"returned by a function", "const f = (xs) => { return xs.map((x) => tools.a({ x })) }\nreturn await Promise.all(f([1]))", ""},
		{"returned inside of something", "return { a: tools.a({}), b: [await tools.b({})], c: await tools.c({}) }", ": tools.a({}) used"},
		{"a list returned inside of something", "return { a: xs.map(async (x) => await tools.a({ x })), b: xs.map((x) => tools.b({ x })) }", ": xs.map(async (x) => await tools.a({ x })) list used|: xs.map((x) => tools.b({ x })) list used"},
		{"an await of a list", "const ys = await xs.map(async (x) => await tools.a({ x })); return await xs.map((x) => tools.b({ x }))", ": xs.map(async (x) => await tools.a({ x })) list used|: xs.map((x) => tools.b({ x })) list used"},
		{"a list returned by its name", "const ys = xs.map(async (x) => await tools.a({ x }));\nconsole.log(ys);\nreturn ys", ": xs.map(async (x) => await tools.a({ x })) list"},
		{"a promise returned inside of something by its name", "const p = tools.a({}), q = tools.b({}); return { p, q: await q }", "a: tools.a({})"},
		{"a promise returned by its name", "const p = tools.a({}); const o = { p: 1 }; return p", ""},
		{"a list that is used before", "const ys = xs.map((x) => tools.a({ x })); await Promise.all(ys); return ys", ": ys list used"},
		{"returned in an array", "return [tools.a({}), await tools.b({}), ...(await tools.c({})), f(tools.d({}))]", ": tools.a({}) used"},
		{"a choice between arrows", "const f = x ? (y) : z => { tools.a({}) }", "a: tools.a({}) not async"},
		{"a block behind case", "switch (x) { case f(y): { await tools.a({}) } }", ""},
		{"awaited", "const a = await tools.a({}); console.log(`${a}`, a); return { a, b: [a] }", ""},
		{"together", "const ids = [1]; const all = await Promise.all(ids.map((id) => tools.a({ id }))); return { all, n: `${all.length}` }", ""},
		{"by functions", "async function get(id) { return await tools.a({ id }) } const one = await get(1); return { one, text: `${one}` }", ""},
		{"no tools", "const p = Promise.resolve(1); return { p }", ""},
		{"a returned variable", "const a = tools.a({}); f(a); return [a, 1]", ": a used"},
		{"in short", "const a = tools.a({}); f(a); return { a }", ": a used"},
		{"a function", "function get() { const p = tools.a({}); return p } get();", ": get()"},
		{"a function that is made", "const get = make(tools.a); get();", ""},
		{"asked for first", "function get() { const p = tools.a({}); return p } get?.();", ": get?.()"},
		{"a wrapper", "async function retry(f) { try { return await f() } catch { return await f() } } retry(() => tools.a({})); retry(() => 1)", ": retry(() => tools.a({}))"},
		{"a list of helpers' promises", "const get = (x) => { const p = tools.a({ x }); return p }; Promise.allSettled(xs.map(get));", ": Promise.allSettled(xs.map(get))"},
		{"a statement of its own", "const p = tools.a({}); p; let q = [tools.b({})]\nq\nq;", ": p|: q list"},
		{"a statement of its own, and used", "const p = tools.a({}); p; await p", ""},
		{"a member of a class", "const p = tools.a({}); f(typeof p); class A extends f(p) { p; q() { p } } interface B { p; }", ""},
		{"a callback that is given", "async function f(done: (x: number) => Promise<void>) { done(1); await done(2) } const g = async (h) => { h() }; f(tools.a)", ": done(1)|: f(tools.a)"},
		{"a callback that keeps its promises", "const all = []; const f = async (done) => { done() }; await f(() => { const p = tools.a({}); all.push(p); return p }); await Promise.all(all)", ""},
		{"kept elsewhere", "const all = []; function start(x) { const p = tools.a({ x }); all.push(p); return p } start(1); await Promise.all(all)", ""},
		{"kept as a property", "function start(x) { const p = tools.a({ x }); jobs[x] = p; return p } start(1); await jobs[1]", ""},
		{"a template", "const p = [tools.a({})]; f(p); return `${p} ${1}`", ": p list used"},
		{"a condition", "const get = () => tools.a({}); if (!get()) f(); while (get()) {} g(get() ?? 1)", ": get() used|: get() used|: get() used"},
		{"not what may be missing", "const c = { a: tools.a({}) }; if (!c.a) f(); return await (c[x] ?? c.a)", ""},
		{"a callback", "function get(x) { const p = tools.a({ x }); return p } xs.filter(get); xs.some((x) => get(x)); xs.forEach(get)", ": xs.filter(get) callback filter|: xs.some((x) => get(x)) callback some|: xs.forEach(get) callback forEach"},
		{"known already", "const get = async (x) => tools.a({ x }); get(1); xs.filter(get); return `${tools.b({})}`", ": get(1)|: xs.filter(get) callback filter|: tools.b({}) used"},
		{"an argument", "const get = (x) => tools.a({ x }); await tools.b({ x: get(1), y: { z: [get(2)] } })", ": get(1) used|: get(2) used"},
		{"in an executor", "await new Promise((resolve) => { const go = () => { f(tools.a({})) }; go(); })", ""},
		{"a list behind await", "const ps = xs.map(get); async function get(x) { return tools.a({ x }) } await ps", ": ps list used"},
		{"lists of lists", "await Promise.all([[1]].map((x) => x.map((y) => tools.a({ y }))))", ": await Promise.all([[1]].map((x) => x.map((y) => tools.a({ y })))) deep used"},
		{"a spread", "const p = tools.a({}); f(p); const o = { ...p, b: [...c] }", ": p used"},
		{"wide characters", "const s = '😀'; /* 😀 */ tools.a({ s });", "a: tools.a({ s })"},
		{"a computed name", "const name = 'a' + x; tools[name]({});", ": tools[name]({})"},
		{"a module", "export default async function () {\n  tools.a({});\n  return [tools.b({})];\n}", "a: tools.a({})|: tools.b({}) used"},
		{"a module that is an arrow", "export default async () => ({ a: tools.a({}) });", ": tools.a({}) used"},
		{"text that cannot be read", "const p = tools.a({});\nif (\nreturn p;", ""},
		{"without types checked", "// @ts-nocheck\ntools.a({});", ""},
		{"a cache", "const cache: Record<string, Promise<unknown> | undefined> = {}; cache.x ??= tools.a({}); if (!cache.x) f(); return await (cache.x ?? tools.b({}))", ""},
		{"a map of promises", "const m = new Map([['a', tools.a({})]]); return m", ": m deep used"},
		{"a member of the reserved namespace", "tools.$codemode.store({ key: 'a', value: 1 });", "$codemode: tools.$codemode.store({ key: 'a', value: 1 })"},
		{"an interface of the script's own", "interface Tools { a(): Promise<void> } declare const mine: Tools; mine.a();", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i, err := e.Check(t.Context(), script.Read(tt.text), script.TypeScript, false)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range i.Promises {
				got = append(got, showPromise(tt.text, p))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// showPromise writes a promise with its text.
func showPromise(text string, p Promise) string {
	units := utf16.Encode([]rune(text))
	offset := func(at protocol.Position) int {
		line := 0
		for i := range units {
			if line == int(at.Line) {
				return i + int(at.Character)
			}
			if units[i] == '\n' {
				line++
			}
		}
		return len(units)
	}
	s := p.Tool + ": " + string(utf16.Decode(units[offset(p.Range.Start):offset(p.Range.End)]))
	for _, word := range []struct {
		is   bool
		text string
	}{
		{p.Callback != "", " callback " + p.Callback}, {p.List && p.Callback == "", " list"}, {p.Deep, " deep"}, {p.Used, " used"}, {!p.Async, " not async"},
	} {
		if word.is {
			s += word.text
		}
	}
	return s
}
