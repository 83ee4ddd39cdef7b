package sandbox

import (
	"strings"
	"testing"
)

const (
	noStrings = "EvalError: Code generation from strings is not available in Exec scripts"
	noImport  = "import() is not available in Exec scripts"
)

// TEST-5: known ways out of a sandbox, each with its exact end. A script returns
// a string that says what happened; want is how that string begins.
func TestEscapes(t *testing.T) {
	tests := []struct{ class, body, want string }{
		// ISO-2: code from strings, by every chain.
		{"eval", "return eval('1')", noStrings},
		{"eval", "return (0, eval)('1')", noStrings},
		{"eval", "return globalThis['ev' + 'al']('1')", noStrings},
		{"eval", "const e = eval; return e('1')", noStrings},
		{"eval", "return Reflect.apply(eval, null, ['1'])", noStrings},
		{"eval", "return [ '1' ].map(eval)[0]", noStrings},
		{"function", "return new Function('return 1')()", noStrings},
		{"function", "return Function('return 1')()", noStrings},
		{"function", "return (() => {}).constructor('return 1')()", noStrings},
		{"function", "return (function () {}).constructor('return 1')()", noStrings},
		{"function", "return (async () => {}).constructor('return 1')()", noStrings},
		{"function", "return (function* () {}).constructor('yield 1')()", noStrings},
		{"function", "return (async function* () {}).constructor('yield 1')()", noStrings},
		{"function", "return (class {}).constructor('return 1')()", noStrings},
		{"function", "return tools.echo.constructor('return 1')()", noStrings},
		{"function", "return (console.log as any).constructor('return 1')()", noStrings},
		{"function", "return (tools['$codemode'].search as any).constructor('return 1')()", noStrings},
		{"function", "return [].constructor.constructor('return 1')()", noStrings},
		{"function", "return ({} as any).constructor.constructor('return 1')()", noStrings},
		{"function", "return Object.getPrototypeOf(async () => {}).constructor('return 1')()", noStrings},
		{"function", "return Object.getPrototypeOf(Object.getPrototypeOf(async () => {}).constructor)('return 1')()", noStrings},
		{"function", "return Reflect.construct(Function, ['return 1'])()", noStrings},
		{"function", "return Reflect.construct(Object, ['return 1'], Function)", "TypeError: Function.prototype.toString requires"},
		{"function", "class F extends Function {} return new F('return 1')()", noStrings},
		{"function", "class F extends (async () => {}).constructor {} return new F('return 1')()", noStrings},
		{"function", "return Function.bind(null, 'return 1')()()", noStrings},
		{"function", "return Function.prototype.constructor.call(null, 'return 1')()", noStrings},
		{"function", "return new Proxy(Function, {})('return 1')()", noStrings},
		{"function", "return (Math.max as any).__proto__.constructor('return 1')()", noStrings},
		{"function", "return Array.from.constructor.apply(null, ['return 1'])()", noStrings},
		{"function", "return Promise.resolve('return 1').then(Function).then((f) => f())", noStrings},
		{"function", "return (new Error().constructor as any).constructor('return 1')()", noStrings},
		{"function", "return (Symbol as any).constructor('return 1')()", noStrings},
		{"function", "return Object.getOwnPropertyDescriptor(Function.prototype, 'constructor')!.value('return 1')()", noStrings},
		{"function", "return (new URL('https://a.b').constructor as any).constructor('return 1')()", noStrings},
		{"function", "return (structuredClone as any).constructor('return 1')()", noStrings},
		{"function", "function f(this: any) { return this } return (f.call(undefined) as any).Function('return 1')()", noStrings},
		{"function", "return (await tools.echo as any).constructor('return 1')()", noStrings},
		{"function", "try { (tools.echo as any)(1, 2) } catch (e: any) { return 'sync' } return tools.echo([] as any).catch((e: any) => e.constructor.constructor('return 1')())", noStrings},
		{"function", "return tools.fail({}).catch((e: any) => e.constructor.constructor('return 1')())", noStrings},
		{"function", "return tools.fail({}).constructor.constructor('return 1')()", noStrings},
		// ISO-3: modules.
		{"import", "return import('fs')", "TypeError: " + noImport},
		{"import", "return import('data:text/javascript,1')", "TypeError: " + noImport},
		{"import", "const n = 'node:' + 'fs'; return import(n)", "TypeError: " + noImport},
		{"import", "return typeof require + typeof module + typeof exports", "undefinedundefinedundefined"},
		{"import", "return [typeof ($import as any), arguments.length, (this as any).$import].join()", "undefined,0,"},
		{"import", "var $import: any = () => 1, require: any = () => 2; return import('fs')", "TypeError: " + noImport},
		{"import", "const __toESM: any = (x: any) => x; return import('fs').catch((e: any) => __toESM(e))", "TypeError: " + noImport},
		{"import", "arguments[0] = () => 1; return (async () => { async function* g() { yield import('fs') } for await (const x of g()) return x })()", "TypeError: " + noImport},
		// ISO-1: what is not there.
		{"globals", `return ["require","process","Buffer","module","exports","fetch","XMLHttpRequest","WebSocket","WebAssembly","SharedArrayBuffer","Atomics",
			"setTimeout","setInterval","setImmediate","clearTimeout","performance","crypto","navigator","document","window","self","global","GoError",
			"$import","Deno","Bun","Worker","MessageChannel","AbortController","ShadowRealm","__dirname","require$$exec"].filter((n) => (globalThis as any)[n] !== undefined).join()`, ""},
		{"globals", `return Object.keys(globalThis).join()`, ""},
		{"globals", "function f(this: any) { return this === globalThis } return f()", "true"},
		// ISO-4: host objects, names of the host's language.
		{"host", "return [tools.echo, console.log, btoa, structuredClone, tools['$codemode'].search].map(String).join().includes('goja')", "false"},
		{"host", "return [tools.echo.name, (console.log as any).name, tools.echo.length].join()", "echo,log,0"},
		{"host", "return Object.getOwnPropertyNames(tools.echo).sort().join()", "length,name"},
		{"host", "const r: any = await tools.echo({ a: {} }); return [typeof r.constructor, typeof r.__proto__, typeof r.a.toString].join()", "undefined,undefined,undefined"},
		{"host", "const r: any = await tools.echo({ l: [1] }); return [r.l instanceof Array, Array.isArray(r.l), Object.getPrototypeOf(r.l) === Array.prototype].join()", "true,true,true"},
		{"host", "return tools.fail({}).catch((e: any) => [e instanceof Error, Object.getPrototypeOf(e) === Error.prototype, Object.getPrototypeOf(e.structuredContent)].join())", "true,true,"},
		{"host", "return (tools as any).echo === (tools as any).echo && tools.echo instanceof Function && tools.echo({}) instanceof Promise", "true"},
		{"host", "(tools as any).echo = 1; delete (tools as any).echo; return typeof tools.echo", "function"},
		{"host", "Object.defineProperty(tools, 'echo', { value: 1 }); return 'defined'", "TypeError"},
		{"host", "return Object.isFrozen(tools) || (Object.setPrototypeOf(tools, { then() {} }), typeof tools.then)", ""},
		{"host", "return tools.fail({}).catch((e: any) => String(e.stack).includes('.go') || String(e.stack).includes('goja'))", "false"},
		{"host", "return new Error('x').stack!.includes('/work') || new Error('x').stack!.includes('.go:')", "false"},
		{"host", "try { (null as any).x } catch (e: any) { return e.constructor === TypeError }", "true"},
		{"host", "try { ({} as any).x.y } catch (e: any) { return e.constructor.constructor === Function }", "true"},
		{"host", "return (new Error('x') as any).value", "undefined"},
		{"host", "return typeof (globalThis as any).GoError", "undefined"},
		{"host", "const e: any = new RangeError(); Error.prepareStackTrace = (_: any, s: any) => s; return typeof e.stack", "string"},
		// ISO-5, ISO-7: pollution does not reach what the host gets and gives.
		{"pollution", "(Object.prototype as any).toJSON = () => 'x'; return JSON.stringify(await tools.echo({ a: 1 })) + Object.keys(await tools.echo({ a: 1 }) as any)", `{"a":1}a`},
		{"pollution", "(Array.prototype as any).toJSON = () => 'x'; const r: any = await tools.echo({ a: [1] }); return r.a.length", "1"},
		{"pollution", "(Object.prototype as any).injected = 1; return Object.keys(await tools.echo({ a: 1 }) as any).join()", "a"},
		{"pollution", "Object.defineProperty(Object.prototype, 'a', { set() { throw 1 }, get() { return 2 }, configurable: true }); return ((await tools.echo({ b: 1 })) as any).b", "1"},
		{"pollution", "Object.defineProperty(Array.prototype, '0', { set() { throw 1 }, configurable: true }); const r: any = await tools.echo({ l: JSON.parse('[5]') }); return r.l[0]", "5"},
		{"pollution", "Object.prototype.hasOwnProperty = () => true; Object.keys = () => ['x']; Object.getOwnPropertyDescriptor = () => undefined; return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"pollution", "JSON.stringify = () => '{}'; JSON.parse = () => 1; return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"pollution", "const t = Promise.prototype.then; Promise.prototype.then = function (...a: any[]) { return t.apply(this, a as any) } as any; return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"pollution", "(Symbol as any).prototype.toString = () => 'x'; String.prototype.toString = () => 'y'; Number.prototype.valueOf = () => 9; return ((await tools.echo({ a: 1, s: 't' })) as any).s", "t"},
		{"pollution", "Error = class { constructor() { throw 1 } } as any; return tools.fail({}).catch((e: any) => e.message)", "it failed"},
		{"pollution", "(globalThis as any).Promise = undefined; return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"pollution", "Function.prototype.call = Function.prototype.apply = () => 'x'; return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"pollution", "Map.prototype.forEach = () => {}; Set.prototype.forEach = () => {}; return 'ok'", "ok"},
		{"pollution", "(Object.prototype as any).value = 7; (Object.prototype as any).get = () => 7; return ((await tools.echo({ a: 1 })) as any).a", "1"},
		{"pollution", "(Object.prototype as any).ghost = async () => 'ran'; return tools.ghost({}).catch((e: any) => e.message)", "ghost is not a tool"},
		{"pollution", "const a = { x: 1 }; const r: any = await tools.echo({ a, b: a }); r.a.x = 2; return r.b.x", "1"},
		{"pollution", "const p: any = JSON.parse('{\"__proto__\": {\"polluted\": 1}}'); return tools.echo(p).catch((e: any) => e.message)", `echo: a key "__proto__"`},
		{"pollution", "const o: any = {}; Object.defineProperty(o, 'x', { enumerable: true, get() { Object.defineProperty(o, 'y', { enumerable: true, value: 2 }); return 1 } }); return JSON.stringify(await tools.echo(o))", `{"x":1}`},
		// Arguments that fight back.
		{"arguments", "return tools.echo(new Proxy({}, { ownKeys() { throw 1 } })).catch((e: any) => e.message)", "echo: expected one plain object as the argument, not a Proxy"},
		{"arguments", "const o: any = { get a() { return tools.echo({ inner: 1 }), 5 } }; return JSON.stringify(await tools.echo(o))", `{"a":5}`},
		{"arguments", "return tools.echo({ get a() { throw { toString() { throw 1 } } } }).catch((e: any) => e.message)", "echo: reading the argument threw"},
		{"arguments", "return tools.echo(Object.create({ inherited: 1 })).catch((e: any) => e.message)", "echo: expected one plain object as the argument, not an instance of Object"},
		{"arguments", "return JSON.stringify(await tools.echo(Object.create(null, { a: { value: 1, enumerable: true }, b: { value: 2 } })))", `{"a":1}`},
		{"arguments", "class P extends Promise<any> {} return tools.echo({ p: new P(() => {}) }).catch((e: any) => e.message)", "echo: an instance of P"},
		{"arguments", "return tools.echo({ then(r: any) { r(1) } } as any).catch((e: any) => e.message)", "echo: a function"},
		{"arguments", "return JSON.stringify(await tools.echo({ constructor: { name: 'X' } }))", `{"constructor":{"name":"X"}}`},
		{"arguments", "const f: any = tools.echo; return [await f.call(null, { a: 1 }), await f.apply({}, [{ a: 2 }]), await f.bind(1)({ a: 3 })].map((x: any) => x.a).join()", "1,2,3"},
		// Names that are no names.
		{"names", "return tools['__proto__']", "undefined"},
		{"names", "return (tools as any)['constructor']", "undefined"},
		{"names", "return tools['../x']({}).catch((e: any) => e.message)", "../x is not a tool"},
		{"names", "return tools['']({}).catch((e: any) => e.message)", " is not a tool"},
		{"names", "return tools['$codemode.search']({}).then((r: any) => JSON.stringify(r))", `[{"name":"echo"}]`},
		{"names", "return tools['\\u0000\\ud800']({}).catch((e: any) => e.message.length > 0)", "true"},
		// The wrapper.
		{"wrapper", "return new.target", "undefined"},
		{"wrapper", "/* \u2028 */ return 1 // \u2029", ""},
		{"wrapper", "return (() => { 'use strict'; return this })() === undefined", ""},
	}
	for _, tt := range tests {
		o, h := runScript(t, attempt(tt.body))
		if o.Status == Invalid && tt.class == "wrapper" {
			continue
		}
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

// What a script throws, returns or logs cannot break what is reported.
func TestHostileValues(t *testing.T) {
	tests := []struct {
		code   string
		status Status
		words  string // in the error's message, or the value
	}{
		{"throw { get message() { throw 1 } }", Thrown, "[Getter]"},
		{"const e: any = new Error('a'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e", Thrown, "cannot be read"},
		{"const e: any = new Error('a'); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e", Thrown, "a"},
		{"const e: any = new Error('a'); e.name = { toString() { throw 1 } }; throw e", Thrown, "a"},
		{"throw new Proxy(new Error('a'), { get() { throw 1 } })", Thrown, ""},
		{"throw null", Thrown, "null"},
		{"throw undefined", Thrown, "undefined"},
		{"throw Symbol('s')", Thrown, "Symbol(s)"},
		{"throw () => 1", Thrown, "[Function"},
		{"const e: any = new Error('a'); e.cause = e; throw e", Thrown, "a"},
		{"throw new AggregateError([new Error('x')], 'many')", Thrown, "many"},
		{"return new Proxy({}, { ownKeys() { throw new Error('trap') } })", Thrown, "trap"},
		{"return { toJSON() { throw new Error('json') } }", Thrown, "json"},
		{"return { get a() { for (;;); } }", TimedOut, ""},
		{"(Object.prototype as any).toJSON = () => 'forged'; return { a: 1 }", Completed, `{"a":1}`},
		{"(Array.prototype as any).toJSON = () => 'forged'; return [1]", Completed, `[1]`},
		{"(Map.prototype as any).toJSON = () => 'forged'; return new Map([['a', 1]])", Completed, `{"a":1}`},
		{"Map.prototype.forEach = () => {}; return new Map([['a', 1]])", Completed, `{"a":1}`},
		{"Date.prototype.toISOString = () => 'forged'; Date.prototype.toJSON = () => 'forged'; return new Date(0)", Completed, `"1970-01-01T00:00:00.000Z"`},
		{"Object.keys = () => []; JSON.stringify = () => 'forged'; return { a: 1 }", Completed, `{"a":1}`},
		{"Object.defineProperty(Array.prototype, '0', { set() { throw 1 } }); return ['a']", Completed, `["a"]`},
		{"Promise.prototype.then = () => { throw 1 }; return 1", Completed, `1`},
		{"return { then(r: any) { r(5) } }", Completed, "5"},
		{"const o: any = {}; o.self = o; console.log(o, new Proxy({}, { get() { throw 1 } }), { get a() { throw 1 } }); return 1", Completed, "1"},
		{"console.log({ [Symbol.toStringTag]: 5 }, Object.create({ get constructor() { throw 1 } })); return 1", Completed, "1"},
		{"String.prototype.slice = () => { throw 1 }; Array.prototype.join = () => { throw 1 }; console.log(['a'], 'x'); return 1", Completed, "1"},
		{"return JSON.parse('{\"__proto__\": 1, \"a\": 2}')", Completed, `{"a":2}`},
		{"return '\\ud800' + '\\u0000'", Completed, "\"\ufffd\\u0000\""},
		{"return Object.keys(await { constructor: Promise } as any)", Completed, "constructor"},
		{"await new Proxy(Promise.resolve(1), {})", Thrown, ""},
		{"/(?:(?<a>x)|(?<a>y))/.exec('x'); 'xy'.replaceAll(/(?<a>x)|(?<a>y)/g, 'z')", "", ""},
		{"//# sourceMappingURL=file:///etc/passwd", Completed, ""},
		{"return 1 //# sourceMappingURL=/dev/zero", Completed, "1"},
	}
	for _, tt := range tests {
		r := testRequest(tt.code)
		if tt.status == TimedOut {
			r.Limits.Wall = 300_000_000
		}
		o := shared.Run(t.Context(), r, &testHost{})
		got := string(o.Value)
		if o.Error != nil {
			got = o.Error.Message
		}
		if tt.status != "" && o.Status != tt.status || !strings.Contains(got, tt.words) {
			t.Errorf("%s\n got: %s %s %+v", tt.code, o.Status, o.Value, o.Error)
		}
		if o.Status == Crashed {
			t.Errorf("%s: %+v", tt.code, o.Error)
		}
	}
}
