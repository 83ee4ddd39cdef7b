package sandbox

import (
	"context"
	"slices"
	"strings"
	"testing"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// Scripts that complete, and what they return.
func TestScripts(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"Exec1Return", "return 1 as number", "1"},
		{"Exec1Types", "interface A { x: B } type B = string; const a: A = { x: 'y' }; enum E { P = 4 } return [a, E.P] satisfies unknown", `[{"x":"y"},4]`},
		{"Exec2Order", "const a: any = await tools.echo({ n: 1 }); const b: any = await tools.echo({ n: a.n + 1 }); return b", `{"n":2}`},
		{"Exec2All", "return await Promise.all([1, 2, 3].map((n) => tools.echo({ n })))", `[{"n":1},{"n":2},{"n":3}]`},
		{"Exec4Rejects", "try { await tools.fail({}) } catch (e: any) { return [e instanceof Error, e.message, e.tool, e.code, e.structuredContent] }",
			`[true,"it failed","fail","FAILED",{"why":[1]}]`},
		{"Exec5NoArgument", "return [await tools.echo(), await tools.echo(undefined)]", "[{},{}]"},
		{"Exec5Order", "return await tools.echo({ z: 1, a: undefined, b: [undefined, null], 'q-r': new Date(0), n: -0, e: 'é\\u2028\\ud800' })",
			`{"z":1,"b":[null,null],"q-r":"1970-01-01T00:00:00.000Z","n":0,"e":"é` + "\u2028\ufffd" + `"}`},
		{"Exec6Unknown", "try { await tools.nope({}) } catch (e: any) { return e.message }", `"nope is not a tool; only MCP tools can be reached"`},
		{"Exec7Settled", "const r = await Promise.allSettled([tools.echo({}), tools.fail({})]); return r.map((x) => x.status)", `["fulfilled","rejected"]`},
		{"Exec16Default", "import type { X } from 'x'\nconst a: X = 2\nexport default async function main() { return a + 1 }", "3"},
		{"Exec16Expression", "export default tools.echo({ a: 1 })", `{"a":1}`},
		{"Iso4Null", "const r: any = await tools.echo({ a: { b: 1 } }); return [Object.getPrototypeOf(r), Object.getPrototypeOf(r.a), Object.getPrototypeOf(await tools.echo)  === Function.prototype]", "[null,null,true]"},
		{"Iso5Copy", "const a: any = { l: [1] }; const p = tools.echo(a); a.l.push(2); const r: any = await p; r.l.push(3); return [a, await tools.echo(a)]", `[{"l":[1,2]},{"l":[1,2]}]`},
		{"Iso8Names", `return [tools.then, tools.toJSON, (tools as any)[Symbol.iterator], tools.constructor, tools.__proto__, tools.toString].map((x) => typeof x).join()`,
			`"undefined,undefined,undefined,undefined,undefined,undefined"`},
		{"Iso8Keys", `return [Object.keys(tools), "echo" in tools, "nope" in tools, Object.keys(tools["$codemode"]), typeof tools.nope]`,
			`[["echo","fail","hang","large"],true,false,["search","load"],"function"]`},
		{"Iso8Await", "return (await tools) === tools", "true"},
		{"SearchRemaining", `const r: any = await tools["$codemode"].search({ query: "x" }); return [r, r.remaining, Object.keys(r), await tools["$codemode"].load({ key: "k" })]`,
			`[[{"name":"echo"}],3,["0"],{"value":[1],"remaining":3}]`},
		{"Bud5Recursion", "return await (async () => 1)()", "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, _ := runScript(t, tt.code)
			wantValue(t, o, tt.want)
		})
	}
}

// ISO-6: what is no plain object is refused before it leaves, as text that say
// what is expected and where.
func TestIso6Arguments(t *testing.T) {
	tests := []struct{ arg, words string }{
		{"[1]", "not an array"},
		{"null", "not null"},
		{"1", "not a number"},
		{"'x'", "not a string"},
		{"true", "not a boolean"},
		{"1n", "not a BigInt"},
		{"Symbol()", "not a symbol"},
		{"() => 1", "not a function"},
		{"new (class Point {})()", "not an instance of Point"},
		{"new Map()", "not an instance of Map"},
		{"new Date()", "not an instance of Date"},
		{"new Proxy({}, {})", "not a Proxy"},
		{"{}, {}", "more arguments"},
		{"{}, undefined", "more arguments"},
		{"{ a: { f() {} } }", "a function cannot be passed to a tool: arguments are plain data (at $.a.f)"},
		{"{ a: [1, { 'b-c': Symbol() }] }", `a symbol cannot be passed to a tool: arguments are plain data (at $.a[1]["b-c"])`},
		{"{ a: 1n }", "a BigInt cannot be passed to a tool: use Number(x) or String(x) (at $.a)"},
		{"{ a: [new (class Foo {})()] }", "an instance of Foo cannot be passed to a tool: arguments are plain data (at $.a[0])"},
		{"{ a: new Set([1]) }", "an instance of Set"},
		{"{ a: new Uint8Array(1) }", "an instance of Uint8Array"},
		{"{ a: new String('x') }", "an instance of String"},
		{"{ a: new Error('x') }", "an instance of Error"},
		{"{ a: new Proxy([], {}) }", "a Proxy"},
		{"{ a: new Date(NaN) }", "an invalid Date"},
		{"{ a: Promise.resolve(1) }", "an instance of Promise"},
		{"JSON.parse('{\"__proto__\": 1}')", `a key "__proto__"`},
		{"(() => { const o = { p: {} }; o.p.o = o; return o })()", "a cycle cannot be passed to a tool: arguments are plain data (at $.p.o)"},
		{"(() => { let o = {}; for (let i = 0; i < 300; i++) o = { o }; return o })()", "nested deeper than 256 levels"},
		{"{ get a() { throw new TypeError('no') } }", "reading the argument threw TypeError: no"},
		{"{ a: new Array(4294967295) }", "too large"},
	}
	for _, tt := range tests {
		o, h := runScript(t, "try { await tools.echo("+tt.arg+"); } catch (e) { return [e.name, e.message]; }")
		if o.Status != Completed || !strings.HasPrefix(string(o.Value), `["TypeError","echo: `) || !strings.Contains(strings.ReplaceAll(string(o.Value), `\"`, `"`), tt.words) {
			t.Errorf("%s: %s %s %+v", tt.arg, o.Status, o.Value, o.Error)
		}
		if len(h.calls) != 0 {
			t.Errorf("%s reached the host: %s", tt.arg, h.calls[0].Arguments)
		}
	}
}

// EXEC-10: nothing is lost in silence.
func TestExec10Values(t *testing.T) {
	tests := []struct{ code, value, paths string }{
		{"return { a: NaN, b: [Infinity] }", `{"a":null,"b":[null]}`, "$.a $.b[0]"},
		{"return new Map([['a', 1]])", `{"a":1}`, "$"},
		{"return { m: new Map([[1, 2]]) }", `{"m":[[1,2]]}`, "$.m"},
		{"return new Set([1, [2]])", `[1,[2]]`, "$"},
		{"return { e: Object.assign(new TypeError('x', { cause: 'y' }), { code: 1 }) }", `{"e":{"name":"TypeError","message":"x","cause":"y","code":1}}`, "$.e"},
		{"return [new Date(0)]", `["1970-01-01T00:00:00.000Z"]`, "$[0]"},
		{"return new Uint8Array([1, 2])", `[1,2]`, "$"},
		{"return { f() {}, s: Symbol('q'), r: /a/g, p: Promise.resolve(1) }", `{"f":"[Function: f]","s":"Symbol(q)","r":"/a/g","p":"[Promise]"}`, "$.f $.s $.r $.p"},
		{"return new (class { x = 1; toJSON() { return { y: 2 } } })()", `{"y":2}`, ""},
		{"return { toJSON() { return 5 } }", `5`, ""},
		{"return { a: undefined, b: [undefined, , 1], c: new String('s'), d: null }", `{"b":[null,null,1],"c":"s","d":null}`, ""},
		{"return null", `null`, ""},
		{"return undefined", ``, ""},
		{"return new URL('https://a.b/c')", `"https://a.b/c"`, ""},
	}
	for _, tt := range tests {
		o, _ := runScript(t, tt.code)
		wantValue(t, o, tt.value)
		var paths []string
		for _, w := range o.Warnings {
			paths = append(paths, w.Path)
		}
		if got := strings.Join(paths, " "); got != tt.paths {
			t.Errorf("%s: warnings at %q, want %q", tt.code, got, tt.paths)
		}
	}
	failures := []struct{ code, words string }{
		{"const o: any = { a: { b: [1, 2] } }; o.a.b[2] = o; return o", "refers to itself, at $.a.b[2]"},
		{"return { a: [1n] }", "BigInt cannot be converted to JSON: use Number(x) or String(x), at $.a[0]"},
		{"return { a: { get b() { throw new RangeError('q') } } }", "reading it threw RangeError: q, at $.a.b"},
	}
	for _, tt := range failures {
		o, _ := runScript(t, tt.code)
		wantError(t, o, Thrown, "TypeError", tt.words)
	}
}

// EXEC-8
func TestExec8Console(t *testing.T) {
	o, h := runScript(t, `
console.log("a", 1, { b: [1] }); console.info("i"); console.warn("w"); console.error(null); console.debug("%s-%d", "x", 2, "y");
`)
	want := []string{"log: a 1 { b: [ 1 ] }", "info: i", "warn: w", "error: null", "debug: x-2 y"}
	if o.Status != Completed || o.HasValue || !slices.Equal(h.logs, want) {
		t.Errorf("%+v %q", o, h.logs)
	}
}

// EXEC-11: errors are at the author's lines and columns.
func TestExec11Positions(t *testing.T) {
	tests := []struct {
		name, code string
		at         script.Position
		stack      []string
	}{
		{"throw", "const x: number = 1;\n  throw new Error('é' + x);", script.Position{Line: 1, Character: 8}, []string{"at script.ts:2:9"}},
		{"function", "function f(a: string) {\n  return (null as any).x;\n}\nf('x');", script.Position{Line: 1, Character: 23}, []string{"at f (script.ts:2:24)", "at script.ts:4:1"}},
		{"after await", "async function g() {\n  await tools.echo({});\n  throw new TypeError('t');\n}\nawait g();", script.Position{Line: 2, Character: 8},
			[]string{"TypeError: t", "at g (script.ts:3:9)", "at script.ts:5:7"}},
		{"callback", "[1].map((x) => {\n    throw new RangeError('r');\n});", script.Position{Line: 1, Character: 10}, []string{"at script.ts:2:11", "at script.ts:1:5"}},
		{"all", "await Promise.all([1].map(async () => {\n  await null;\n  throw new Error('z')\n}))", script.Position{Line: 2, Character: 8}, []string{"at script.ts:3:9"}},
		{"astral", "const s = '😀😀'; throw new Error(s)", script.Position{Character: 24}, []string{"script.ts:1:25"}},
		{"subclass", "class E extends Error { constructor(m: string) { super(m); this.name = 'E' } }\nthrow new E('m')", script.Position{Line: 1, Character: 6}, []string{"E: m\n    at script.ts:2:7"}},
		{"generator", "async function* g() {\n  yield 1;\n  throw new Error('g')\n}\nfor await (const x of g()) x", script.Position{Line: 2, Character: 8}, []string{"script.ts:3:9"}},
		{"call", "async function h() {\n  await tools.fail({})\n}\nawait h()", script.Position{Line: 1, Character: 14}, []string{"Error: it failed", "at h (script.ts:2:15)", "at script.ts:4:7"}},
		{"CRLF", "let a\r\n\r\nthrow new Error('c')", script.Position{Line: 2, Character: 6}, nil},
		{"recursion", "function r(): void {\n  r()\n}\nr()", script.Position{Line: 1, Character: 2}, []string{"RangeError: Maximum call stack size exceeded"}},
		{"not an error", "throw 'text'", script.Position{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, _ := runScript(t, tt.code)
			if o.Status != Thrown || o.Error == nil {
				t.Fatalf("%+v", o)
			}
			if tt.stack != nil && (o.Error.At == nil || *o.Error.At != tt.at) {
				t.Errorf("at %v, want %v\n%s", o.Error.At, tt.at, o.Error.Stack)
			}
			for _, s := range tt.stack {
				if !strings.Contains(o.Error.Stack, s) {
					t.Errorf("no %q in %s", s, o.Error.Stack)
				}
			}
		})
	}
	o, _ := runScript(t, "throw new Error('a', { cause: new TypeError('b') })")
	if !strings.Contains(o.Error.Stack, "caused by TypeError: b\n    at script.ts:1:31") {
		t.Error(o.Error.Stack)
	}
	o, _ = runScript(t, "try { null.x } catch (e) { console.log(e); return e.stack.includes('script.ts:1:12') }")
	wantValue(t, o, "true")
}

// A call knows where it is made, and an error which call it comes from.
func TestCallPositions(t *testing.T) {
	o, h := runScript(t, "const a = await tools.echo({});\nconst all = await Promise.all([\n  tools.echo({ n: 1 }),\n  tools['echo']({ n: 2 }),\n]);\nawait tools.fail({});")
	var got []script.Position
	slices.SortFunc(h.calls, func(a, b Call) int { return a.Index - b.Index })
	for i, c := range h.calls {
		if c.Index != i || c.At == nil {
			t.Fatalf("call %d: %+v", i, c)
		}
		got = append(got, *c.At)
	}
	want := []script.Position{{Line: 0, Character: 22}, {Line: 2, Character: 8}, {Line: 3, Character: 14}, {Line: 5, Character: 12}}
	if !slices.Equal(got, want) {
		t.Errorf("calls at %v, want %v", got, want)
	}
	wantError(t, o, Thrown, "Error", "it failed")
	if o.Error.Call != 3 || o.Error.Code != "FAILED" || *o.Error.At != want[3] {
		t.Errorf("%+v", o.Error)
	}
}

// EXEC-13, EXEC-1: nothing runs when a script does not compile.
func TestExec13Invalid(t *testing.T) {
	for code, words := range map[string]string{
		"await tools.echo({});\nlet 1x":          "Syntax error",
		"tools.echo({}); const x\xff = 1":        "Expected", // the quoted line is not UTF-8
		"tools.echo({}); import x from 'x'":      "import is not available",
		"}); tools.echo({}); (async function(){": "closes it before its end",
		"}, async function() {":                  "closes it before its end",
		"}[tools.echo({})] = async function(){":  "closes it before its end",
	} {
		o, h := runScript(t, code)
		wantError(t, o, Invalid, "SyntaxError", words)
		if o.Error.At == nil || o.Error.Code != "SYNTAX" || len(h.calls) != 0 {
			t.Errorf("%s: %+v, %d calls", code, o.Error, len(h.calls))
		}
	}
}

// EXEC-14: a call whose answer comes while the script computes, and then ends, is
// named like one that is not answered at all.
func TestExec14Unseen(t *testing.T) {
	o, h := runScript(t, "tools.echo({});\nfor (const t = Date.now(); Date.now() - t < 50; );\nreturn 1")
	wantValue(t, o, "1")
	if !slices.Equal(o.InFlight, []int{0}) || len(h.calls) != 1 {
		t.Errorf("in flight %v, calls %v", o.InFlight, h.calls)
	}
}

// EXEC-14
func TestExec14Leftovers(t *testing.T) {
	h := &testHost{}
	r := testRequest("tools.hang({});\nPromise.reject(new Error('lost'));\ntools.hang({ b: 1 });\nreturn 1")
	ended := make(chan int, 8)
	h.answer = func(ctx context.Context, c Call) (jsontext.Value, error) {
		<-ctx.Done()
		ended <- c.Index
		return nil, ctx.Err()
	}
	o := shared.Run(t.Context(), r, h)
	wantValue(t, o, "1")
	if !slices.Equal(o.InFlight, []int{0, 1}) || len(ended) != 2 {
		t.Errorf("in flight %v, ended %d", o.InFlight, len(ended))
	}
	if len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0].Message, "Error: lost") || o.Warnings[0].At == nil || o.Warnings[0].At.Line != 1 {
		t.Errorf("%+v", o.Warnings)
	}
	r = testRequest("for (let i = 0; i < 3; i++) tools.hang({ i });\nreturn 1")
	r.Limits.MaxConcurrent = 2
	o = shared.Run(t.Context(), r, h)
	if len(o.InFlight) != 2 || len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0].Message, "hang was not started") {
		t.Errorf("%v %+v", o.InFlight, o.Warnings)
	}
}
