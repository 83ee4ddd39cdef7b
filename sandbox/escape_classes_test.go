package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TEST-5: more classes of escape and denial, each with its exact end.
func TestEscapeClasses(t *testing.T) {
	const notTool = " is not a tool"
	tests := []struct{ class, body, want string }{
		// ISO-2, by prototypes of functions that the transpiler writes again.
		{"function", "const G = Object.getPrototypeOf(async function* () {}); return (G.constructor as any)('yield 1')()", noStrings},
		{"function", "const g = (async function* () {})(); return (Object.getPrototypeOf(g).constructor as any)('return 1')", ""},
		{"function", "return (Object.getPrototypeOf(function* () {}).constructor as any).prototype.constructor('yield 1')()", noStrings},
		{"function", "return Reflect.construct((async () => {}).constructor, ['return 1'])()", noStrings},
		{"function", "return Reflect.construct(Function, ['return 1'], Array)()", noStrings},
		{"function", "return Reflect.apply(Function, undefined, ['return 1'])()", noStrings},
		{"function", "return new (Function.bind.apply(Function, [null, 'return 1'] as any) as any)()()", noStrings},
		{"function", "return (Function.prototype.constructor as any)`return 1`()", noStrings},
		{"function", "return (Object.getOwnPropertyDescriptor(Object.getPrototypeOf(async () => {}), 'constructor') as any).value('return 1')()", noStrings},
		{"function", "const F: any = Function; F[Symbol.species] = F; return ['return 1'].map(F)[0]()", noStrings},
		{"function", "return (new Proxy(class {}, { construct: Function as any }) as any).constructor('return 1')()", noStrings},
		{"function", "return new (new Proxy(Function, { get: (t: any, k) => t[k] }) as any)('return 1')()", noStrings},
		{"function", "return (tools['$codemode'] as any).search.constructor.constructor('return 1')()", noStrings},
		{"function", "return ((Object.getOwnPropertyDescriptor(RegExp.prototype, 'flags') as any).get.constructor)('return 1')()", noStrings},
		{"function", "return (RegExp.prototype.exec as any).constructor('return 1')()", noStrings},
		{"function", "return (/x/ as any).constructor.constructor('return 1')()", noStrings},
		{"function", "return (new DisposableStack().defer as any).constructor('return 1')()", noStrings},
		{"function", "return (Iterator.from([1]).map as any).constructor('return 1')()", noStrings},
		{"function", "return (Intl.NumberFormat as any).constructor('return 1')()", noStrings},
		{"function", "return (Promise.withResolvers().resolve as any).constructor('return 1')()", noStrings},
		{"function", "return await new Promise((r: any) => r.constructor('return 1')())", noStrings},
		{"function", "let f: any; new Proxy({}, { get(...a) { f = a[0].constructor.constructor; return 1 } } as any).x; return f('return 1')()", noStrings},
		{"function", "return (globalThis as any)[Object.getOwnPropertyNames(globalThis).find((n) => n.length === 8 && n[0] === 'F')!]('return 1')()", noStrings},
		{"function", "function f(this: any) { return f.caller } try { return String((f as any).caller) } catch (e: any) { return e.name }", ""},
		{"function", "return (function () { return arguments.callee.constructor } as any)()('return 1')()", noStrings},
		{"function", "Function.prototype.constructor = Object as any; return (Object.getPrototypeOf(Object.getPrototypeOf(async () => {}).constructor) as any)('return 1')()", noStrings},
		{"eval", "const g: any = globalThis; return g.eval.call(null, '1')", noStrings},
		{"eval", "return [1].map.call(['1'] as any, eval as any)", noStrings},
		{"eval", "return new (eval as any)('1')", "TypeError"},
		{"eval", "return Promise.resolve('1').then(eval)", noStrings},
		{"eval", "return JSON.parse('\"1\"', (k, v) => (0, eval)(v))", noStrings},
		{"eval", "return 'a'.replace(/a/, eval as any)", noStrings},
		{"eval", "const o: any = { toString: eval }; return `${o}`", noStrings},
		{"import", "return await import('./x.js', { with: { type: 'json' } } as any)", "TypeError: " + noImport},
		{"import", "return await Promise.all(['fs', 'os'].map((m) => import(m)))", "TypeError: " + noImport},
		// Errors and their stacks.
		{"errors", "Error.prepareStackTrace = (e: any, s: any) => s; return typeof (new Error('x') as any).stack", "string"},
		{"errors", "Error.prepareStackTrace = () => { throw 1 }; try { (null as any).x } catch (e: any) { return e.constructor === TypeError }", "true"},
		{"errors", "const e: any = {}; Error.captureStackTrace(e); return [typeof e.stack, e.stack.includes('/root'), e.stack.includes('.go:')].join()", "string,false,false"},
		{"errors", "(Error as any).stackTraceLimit = 1e9; const f = (n: number): any => n ? f(n - 1) : new Error('x').stack; return f(500).length < 1e6", "true"},
		{"errors", "return tools.fail({}).catch((e: any) => Object.getOwnPropertyNames(e).sort().join())", "code,message,stack,structuredContent,tool"},
		{"errors", "Object.defineProperty(Error.prototype, 'stack', { get() { return (globalThis as any).leak } }); return tools.fail({}).catch((e: any) => e.message)", "it failed"},
		{"errors", "try { (tools as any).echo.call(Symbol()) } catch (e: any) { return e.name } return 'fine'", "fine"},
		{"errors", "return await tools.fail({}).catch((e: any) => { e.structuredContent.why.push(2); return tools.fail({}) }).catch((e: any) => e.structuredContent.why.length)", "1"},
		// Thenables, species and subclasses of promises.
		{"thenables", "class P extends Promise<any> { static get [Symbol.species]() { return class { constructor(f: any) { f(() => {}, () => {}) } } as any } } return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"thenables", "(Promise as any)[Symbol.species]; Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } }); return ((await tools.echo({ a: 1 })) as any).a", ""},
		{"thenables", "const then = Promise.prototype.then; (Promise.prototype as any).then = () => { throw new Error('patched') }; const p = tools.echo({ a: 1 }); Promise.prototype.then = then; return ((await p) as any).a", "1"},
		{"thenables", "return (await tools.echo({ then: 1 } as any) as any).then", "1"},
		{"thenables", "let n = 0; const t = { then(r: any) { n++ < 3 ? r(t) : r(n) } }; return await (t as any)", "4"},
		{"thenables", "Object.defineProperty(Object.prototype, 'then', { get() { return undefined }, set() { throw 1 }, configurable: true }); return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"thenables", "let seen = 0; (Object.prototype as any).then = undefined; const r = await tools.echo({ a: 1 }); delete (Object.prototype as any).then; return (r as any).a", "1"},
		{"thenables", "return await new Promise((r) => r({ get then() { throw new Error('getter') } }))", "Error: getter"},
		// Values that change between a check and a use.
		{"changing", "let n = 0; const a = new Proxy({}, { get: () => n++ }); return tools.echo({ a }).catch((e: any) => e.message)", "echo: a Proxy cannot be passed to a tool"},
		{"changing", "let n = 0; const o: any = { get a() { return n++ ? { f() {} } : 1 } }; return JSON.stringify(await tools.echo(o))", `{"a":1}`},
		{"changing", "const l: any[] = [1, 2, 3]; Object.defineProperty(l, 1, { get() { l.length = 0; return 9 } }); return tools.echo({ l } as any).then((r: any) => JSON.stringify(r))", `{"l":[1,9,null]}`},
		{"changing", "const o: any = { get a() { delete o.b; return 1 }, b: 2 }; return JSON.stringify(await tools.echo(o))", `{"a":1}`},
		{"changing", "const o: any = { get a() { Object.setPrototypeOf(o, { x: 1 }); return 1 } }; return JSON.stringify(await tools.echo(o))", `{"a":1}`},
		{"changing", "const o: any = { a: { get b() { o.a = null; return 1 } }, c: 2 }; return JSON.stringify(await tools.echo(o))", `{"a":{"b":1},"c":2}`},
		{"changing", "const d: any = new Date(0); d.getTime = () => 1e15; d.toISOString = () => 'x'; return JSON.stringify(await tools.echo({ d }))", `{"d":"1970-01-01T00:00:00.000Z"}`},
		{"changing", "const a: any = [1]; a.length = 3; a[Symbol.iterator] = () => { throw 1 }; return JSON.stringify(await tools.echo({ a }))", `{"a":[1,null,null]}`},
		{"changing", "const s: any = { [Symbol.toPrimitive]() { throw 1 }, a: 1 }; return tools.echo(s).then((r: any) => JSON.stringify(r), (e: any) => e.message)", ""},
		{"changing", "return tools.echo({ a: Object.assign(() => 1, { toJSON: () => 'x' }) } as any).catch((e: any) => e.message)", "echo: a function cannot be passed to a tool"},
		{"changing", "return tools.echo({ a: { toJSON: () => 'x' } } as any).catch((e: any) => e.message)", "echo: a function cannot be passed to a tool"},
		// Re-entry: calls and logs while the bridge reads.
		{"reentry", "let n = 0; console.log({ get a() { n++; return 1 } }); return n", "0"},
		{"reentry", "const o: any = { get a() { if (!o.done) { o.done = 1; return tools.echo(o) && 7 } return 8 } }; return JSON.stringify(await tools.echo(o))", `{"a":7}`},
		{"reentry", "console.log(new Proxy({}, { get() { console.log('trap'); return 1 }, ownKeys() { throw 1 } })); return 'ok'", "ok"},
		{"reentry", "console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { return 'custom' } }); return 'ok'", "ok"},
		{"reentry", "console.log('%s %o %j', { toString() { throw 1 } }, { get a() { throw 1 } }, { toJSON() { return 1 } }); return 'ok'", "ok"},
		{"reentry", "class E extends Error { get message() { console.log('again'); return 'm' } } console.log(new E()); return 'ok'", "ok"},
		// What tools has.
		{"names", "return [typeof (tools as any).then, typeof (tools as any).catch, typeof (tools as any)[Symbol.asyncIterator], typeof (tools as any)[Symbol.toPrimitive]].join()", "undefined,function,undefined,undefined"},
		{"names", "return [typeof (tools['$codemode'] as any).then, String(await tools['$codemode'] === tools['$codemode'])].join()", "undefined,true"},
		{"names", "return (tools as any).hasOwnProperty('echo').catch((e: any) => e.message)", "TypeError: Object has no member 'hasOwnProperty'"},
		{"names", "return Object.getPrototypeOf(tools) === null && JSON.stringify(tools) === '{}' || 'other'", ""},
		{"names", "for (const k in tools) if (!Object.keys(tools).includes(k)) return k; return 'same'", "same"},
		{"names", "const { echo, ...rest } = tools as any; return typeof echo + Object.keys(rest).includes('fail')", "functiontrue"},
		{"names", "return Reflect.ownKeys(tools).every((k) => typeof k === 'string')", "true"},
		{"names", "return tools['x'.repeat(5000)]({}).catch((e: any) => e.message.length < 4000)", "true"},
		{"names", "return Promise.all(['constructor', 'valueOf', 'isPrototypeOf'].map((k) => typeof (tools as any)[k])).then(String)", ""},
		// ISO-1: memory that is shared, time, collection.
		{"globals", "return [typeof (globalThis as any).SharedArrayBuffer, typeof (globalThis as any).Atomics, typeof (globalThis as any).WebAssembly, typeof (globalThis as any).setTimeout].join()", "undefined,undefined,undefined,undefined"},
		{"globals", "const w = new WeakRef({}); return typeof w.deref() + typeof new FinalizationRegistry(() => { throw 1 }).register({}, 1)", "objectundefined"},
		{"globals", "return Object.getOwnPropertyNames(globalThis).filter((n) => n.startsWith('__')).join()", ""},
		{"globals", "async function* g() { yield 1 } for await (const x of g()) x; return Object.getOwnPropertyNames(globalThis).filter((n) => n.startsWith('__')).join()", ""},
		{"globals", "return (globalThis as any).constructor === Object && Object.getPrototypeOf(globalThis) === Object.prototype", "true"},
		{"globals", "delete (globalThis as any).tools; return typeof tools", "undefined"},
		{"globals", "(globalThis as any).console = null; (globalThis as any).tools = null; return 'ok'", "ok"},
		{"globals", "return new Date().getTimezoneOffset() + Intl.DateTimeFormat().resolvedOptions().locale", "0en-US"},
		// Names that the bridge itself could use.
		{"forgery", "console.log('\\u0000\\u0000\\u0000\\u0001d{}'); return 'ok'", "ok"},
		{"forgery", "return tools['\\u0000codemode:0']({}).catch((e: any) => e.message)", "\\u0000codemode:0" + notTool},
		{"forgery", "const r = new RegExp('\\u0000codemode:0'); return r.source.length + String(r.test('\\u0000codemode:0'))", "11true"},
		{"forgery", "return /a/.test('a') && new RegExp('\\u0000codemode:1', 'g').source !== /a/.source", "true"},
		{"forgery", "Object.defineProperty(RegExp.prototype, 'source', { get: () => '\\u0000codemode:0' }); return /b/.test('b') && !/b/.test('a')", "true"},
	}
	for _, tt := range tests {
		o, h := runScript(t, attempt(tt.body))
		want := `"` + strings.ReplaceAll(tt.want, `"`, `\"`)
		if o.Status != Completed || !strings.HasPrefix(string(o.Value), want) || tt.want == "" && tt.class == "globals" && string(o.Value) != `""` {
			t.Errorf("%s: %s\n got: %s %s %+v", tt.class, tt.body, o.Status, o.Value, o.Error)
		}
		for _, c := range h.calls {
			if !c.Arguments.IsValid() {
				t.Errorf("%s: %q", tt.body, c.Arguments)
			}
		}
	}
}

// attempt makes a script that says what a body returned or threw.
func attempt(body string) string {
	return "const attempt = async () => {" + body + "\n};\ntry { return String(await attempt()); } catch (e: any) { return String(e.name) + ': ' + e.message; }"
}

// TEST-5, BUD-1 to BUD-5: what never ends or has no bounds ends in time, as one
// failed result, and the next script finds everything as it was.
func TestEscapeDenials(t *testing.T) {
	for _, code := range []string{
		"for (;;) queueMicrotask(() => {})",
		"const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
		"const f = (): any => Promise.resolve().then(f); await f()",
		"const o: any = {}; o.then = Array.prototype.forEach.bind([o]); await o",
		"[3, 1, 2].sort(() => { for (;;); })",
		"new Array(5e6).fill(0).sort(() => Math.random() - 0.5); for (;;);",
		"/^(a|a)*$/.test('a'.repeat(60) + 'b')",
		"/(x+x+)+y/.test('x'.repeat(60))",
		"'a'.repeat(60).replace(/(?:(?:a*)*)*b/g, '')",
		"const r = /(?=(a+))*\\1b/y; for (;;) r.test('a'.repeat(1000))",
		"new RegExp('(' + 'a?'.repeat(40) + ')+' + 'a'.repeat(40) + 'b').test('a'.repeat(60))",
		"Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
		"Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)",
		"Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
		"const a: any[] = []; a[2 ** 32 - 2] = 1; a.forEach(() => {}); a.sort(); a.join(); for (;;);",
		"7n ** 30000000n; for (;;);",
		"let s = 'x'; for (;;) s = s + s",
		"const a: any[] = []; for (;;) a.push(a.slice())",
		"JSON.stringify({ toJSON() { return [this, this] } })",
		"let d: any = []; for (let i = 0; i < 60; i++) d = [d, d]; JSON.stringify(d)",
		"let d: any = []; for (let i = 0; i < 60; i++) d = [d, d]; return d",
		"let d: any = {}; for (let i = 0; i < 60; i++) d = { a: d, b: d }; await tools.echo(d)",
		"let d: any = {}; for (let i = 0; i < 60; i++) d = { a: d, b: d }; console.log(d); for (;;);",
		"structuredClone(new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => 'k' + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) })); for (;;);",
		"return new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 53 - 1 : 0) })",
		"return { get a(): any { return { get a(): any { for (;;); } } } }",
		"for (;;) { try { throw 1 } catch {} }",
		"async function f(): Promise<any> { try { return await f() } finally { for (;;); } } await f()",
		"function* g(): any { for (;;) yield 1 } for (const x of g()) x",
		"async function* g() { for (;;) yield 1 } for await (const x of g()) x",
		"[...(function* () { for (;;) yield 1 })()]",
		"Object.groupBy({ *[Symbol.iterator]() { for (;;) yield 1 } } as any, (x) => x as any)",
		"Iterator.from({ next: () => ({ done: false, value: 1 }) } as any).toArray()",
		"Iterator.from({ next: () => ({ done: false, value: 1 }) } as any).drop(Infinity).next()",
		"await Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }) } as any)",
		"Math.sumPrecise({ *[Symbol.iterator]() { for (;;) yield 1 } } as any)",
		"new Date(0).toLocaleString('en', { get timeZone(): any { for (;;); } } as any)",
		"'x'.padEnd(2 ** 29).normalize('NFKD'); for (;;);",
		"String.raw({ raw: { length: 1e9 } } as any); for (;;);",
		"Reflect.construct(Array, { length: 1e9 } as any); for (;;);",
		"Math.max.apply(null, { length: 1e9 } as any); for (;;);",
		"new Uint8Array(2 ** 28).sort().toSorted(); for (;;);",
		"atob('A'.repeat(2 ** 28)); for (;;);",
		"new URL('http://a/' + 'x/../'.repeat(1e7)); for (;;);",
		"for (let i = 0; ; i++) tools.echo({ i })",
		"for (;;) console.log('x'.repeat(1e5))",
		"await Promise.all(Array.from({ length: 1e6 }, (_, i) => tools.echo({ i })))",
		"for (let i = 0; ; i++) new RegExp('a'.repeat(i % 50000)).test('b')",
		"while (true) await tools.echo({})",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			r, h := testRequest(code), &testHost{}
			r.Limits.Wall = 400 * time.Millisecond
			r.Limits.MemoryMB = 256
			o := shared.Run(t.Context(), r, h)
			spent := o.Status == TimedOut || o.Status == Overspent || o.Status == Memory // package exec words these
			if o.Status == Completed || o.Error == nil || o.Error.Message == "" && !spent {
				t.Errorf("%s %.200s %+v", o.Status, o.Value, o.Error)
			}
			// TestBud1Hangs holds the 500 ms; here many bombs share the machine.
			if late := o.Wall - r.Limits.Wall; late > 3*time.Second {
				t.Errorf("%v late", late)
			}
			if len(h.logs) > r.Limits.LogEntries {
				t.Errorf("%d entries", len(h.logs))
			}
		})
	}
	t.Cleanup(func() {
		o := shared.Run(context.Background(), testRequest("return [1, typeof tools.echo]"), &testHost{})
		wantValue(t, o, `[1,"function"]`)
	})
}
