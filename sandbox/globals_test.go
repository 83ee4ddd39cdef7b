package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// extended is a request with globals of every kind.
func extended(code string) Request {
	q := testRequest(code)
	q.Globals = []Global{
		{Name: "searchTools", Member: "search", Fields: []string{"query"}, Options: true},
		{Name: "store", Member: "store", Fields: []string{"key", "value"}, Now: true},
		{Name: "load", Member: "load", Fields: []string{"key"}, Now: true},
		{Name: "text", Member: "text", Fields: []string{"value"}, Any: true, Now: true},
		{Name: "files.read", Member: "readText", Fields: []string{"path"}},
	}
	q.AllTools = jsontext.Value(`[{"name":"echo","description":"Echoes."},{"name":"fail","description":""}]`)
	return q
}

// The globals of other hosts take positional arguments and the member's own.
func TestGlobals(t *testing.T) {
	for _, test := range []struct{ code, calls, want string }{
		{`return (await searchTools("x")).remaining`, `search {"query":"x"}`, `3`},
		{`await searchTools("x", { limit: 2, namespace: "n" })`, `search {"query":"x","limit":2,"namespace":"n"}`, ``},
		{`await searchTools("x", undefined); await searchTools("x", null)`, `search {"query":"x"} search {"query":"x"}`, ``},
		{`await searchTools(undefined, { limit: 2 })`, `search {"limit":2}`, ``},
		{`await searchTools({ query: "x" })`, `search {"query":"x"}`, ``},
		{`await searchTools()`, `search {}`, ``},
		{`store("k", { a: [1] })`, `store {"key":"k","value":{"a":[1]}}`, ``},
		{`store("k", undefined); store("k")`, `store {"key":"k"} store {"key":"k"}`, ``},
		{`store({ key: "k", value: 1 })`, `store {"key":"k","value":1}`, ``},
		{`const v: any = load("k"); v.value.push(2); return v`, `load {"key":"k"}`, `{"value":[1,2],"remaining":3}`},
		{`return await load({ key: "k" })`, `load {"key":"k"}`, `{"value":[1],"remaining":3}`},
		{`return [store("k", 1) === undefined, text("a") === undefined]`, `store {"key":"k","value":1} text {"value":"a"}`, `[true,true]`},
		{`text({ value: 1 }); text({ value: 1, more: 2 }); text([1]); text(null)`, `text {"value":1} text {"value":{"value":1,"more":2}} text {"value":[1]} text {"value":null}`, ``},
		{`text(undefined); text(new Map([[1, 2]])); text(() => 1)`, `text {"value":"undefined"} text {"value":"Map(1) { 1 => 2 }"} text {"value":"[Function (anonymous)]"}`, ``},
		{`return await files.read("a.txt")`, `readText {"path":"a.txt"}`, `"text"`},
		{`return ALL_TOOLS.filter((t) => t.description).map((t) => t.name)`, ``, `["echo"]`},
		{`return [ALL_TOOLS === ALL_TOOLS, typeof ALL_TOOLS[0], Array.isArray(ALL_TOOLS)]`, ``, `[true,"object",true]`},
		{`const text = 1; return text`, ``, `1`},
		{`const p = tools.echo({ n: 1 }); load("k"); return await p`, `echo {"n":1} load {"key":"k"}`, `{"n":1}`},
		{`return await Promise.all([1, 2, 3].map(async (n) => { const v: any = await tools.echo({ n }); load("k"); return v.n }))`,
			`echo {"n":1} echo {"n":2} echo {"n":3} load {"key":"k"} load {"key":"k"} load {"key":"k"}`, `[1,2,3]`},
	} {
		t.Run(test.code, func(t *testing.T) {
			h := &testHost{}
			h.answer = func(ctx context.Context, c Call) (jsontext.Value, error) {
				switch c.Name {
				case "$codemode.store", "$codemode.text":
					return nil, nil
				case "$codemode.readText":
					return jsontext.Value(`"text"`), nil
				}
				return (&testHost{}).Call(ctx, c)
			}
			o := shared.Run(t.Context(), extended(test.code), h)
			if o.Status != Completed || string(o.Value) != test.want {
				t.Errorf("%s %s %+v; want %s", o.Status, o.Value, o.Error, test.want)
			}
			var calls []string
			for _, c := range h.calls {
				calls = append(calls, strings.TrimPrefix(c.Name, "$codemode.")+" "+string(c.Arguments))
			}
			if got := strings.Join(calls, " "); len(got) != len(test.calls) || !strings.HasPrefix(test.calls, "echo") && got != test.calls {
				t.Errorf("calls %s\nwant  %s", got, test.calls)
			}
		})
	}
}

// What is wrong with a global's arguments, and what its member refuses, is
// thrown where it was called, or rejects.
func TestGlobalsRefuse(t *testing.T) {
	for _, test := range []struct{ code, name, words string }{
		{`store("a", 1, 2)`, "TypeError", "store: expected at most 2 arguments, not 3"},
		{`store("a", () => 1)`, "TypeError", "a function cannot be passed to a tool"},
		{`store("a", new Proxy({}, { ownKeys() { throw new Error("no") } }))`, "TypeError", "a Proxy"},
		{`store("a", { get x() { throw new Error("mine") } })`, "TypeError", "reading the arguments threw Error: mine"},
		{`await searchTools("a", "b")`, "TypeError", "expected one plain object as the argument"},
		{`await searchTools("a", {}, {})`, "TypeError", "expected at most 2 arguments, not 3"},
		{`load("k")`, "RangeError", "too much"},
	} {
		t.Run(test.code, func(t *testing.T) {
			h := &testHost{answer: func(context.Context, Call) (jsontext.Value, error) {
				return nil, &CallError{Message: "too much", Name: "RangeError", Code: "RANGE"}
			}}
			q := extended("try { " + test.code + " } catch (e) { return [e.name, e.message] }")
			o := shared.Run(t.Context(), q, h)
			if o.Status != Completed || !strings.HasPrefix(string(o.Value), `["`+test.name+`"`) || !strings.Contains(string(o.Value), test.words) {
				t.Errorf("%s %s %+v", o.Status, o.Value, o.Error)
			}
		})
	}
	// Uncaught, it is the call's error, in the author's line (EXEC-7, EXEC-11).
	h := &testHost{answer: func(context.Context, Call) (jsontext.Value, error) {
		return nil, &CallError{Message: "too much", Name: "RangeError"}
	}}
	o := shared.Run(t.Context(), extended("const a = 1;\n  load('k');"), h)
	wantError(t, o, Thrown, "RangeError", "too much")
	if o.Error.Call != 0 || o.Error.At == nil || o.Error.At.Line != 1 {
		t.Errorf("the error is of call %d at %v", o.Error.Call, o.Error.At)
	}
}

// ISO-1: without the setting none of the names is there.
func TestIso1StrictGlobals(t *testing.T) {
	o, _ := runScript(t, `return ["ALL_TOOLS", "searchTools", "describeTool", "describeNamespace", "store", "load", "text", "image", "files", "models"].filter((n) => n in globalThis)`)
	wantValue(t, o, `[]`)
	o, _ = runScript(t, `return text("x")`)
	wantError(t, o, Thrown, "ReferenceError", "text is not defined")
}

// BUD-1, BUD-11: a script that waits inside a global ends all the same.
func TestGlobalsEnd(t *testing.T) {
	hang := func(ctx context.Context, _ Call) (jsontext.Value, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	q := extended(`load("k"); return 1`)
	q.Limits.Wall = 50 * time.Millisecond
	if o := shared.Run(t.Context(), q, &testHost{answer: hang}); o.Status != TimedOut {
		t.Errorf("%s %+v", o.Status, o.Error)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h := &testHost{answer: hang, made: make(chan Call, 1)}
	done := make(chan Outcome)
	go func() { done <- shared.Run(ctx, extended(`try { load("k") } catch {} ; for (;;);`), h) }()
	<-h.made
	cancel()
	if o := <-done; o.Status != Cancelled {
		t.Errorf("%s %+v", o.Status, o.Error)
	}
	// More calls than may be in flight: refused, not stuck.
	q = extended(`const p = tools.hang({}); try { load("k") } catch (e: any) { return e.message }`)
	q.Limits.MaxConcurrent = 1
	wantValue(t, shared.Run(t.Context(), q, &testHost{}), `"load: too many calls are in flight; await some of them first"`)
}

// Members with a dot are functions of an object; absent ones can be called and
// are not listed (ISO-8).
func TestNestedMembers(t *testing.T) {
	q := testRequest(`const c: any = tools["$codemode"];
const say = async (f: () => Promise<unknown>) => { try { return await f() } catch (e: any) { return e.message } };
return [Object.keys(c), Object.keys(c.models), "list" in c.models, "models" in c, "files" in c, typeof c.models.then,
	await say(() => c.models.list({ a: 1 })), await say(() => c.files.read({})), await say(() => c.models.nope({})), await say(() => c.gone({}))]`)
	q.Members = []string{"search", "models.list", "models.generate"}
	q.Absent = []string{"gone", "files.read"}
	h := &testHost{answer: func(_ context.Context, c Call) (jsontext.Value, error) {
		if c.Name == "$codemode.models.list" {
			return c.Arguments, nil
		}
		return nil, &CallError{Message: c.Name + " is not there"}
	}}
	wantValue(t, shared.Run(t.Context(), q, h), `[["search","models"],["list","generate"],true,true,false,"undefined",{"a":1},`+
		`"$codemode.files.read is not there","$codemode.models.nope is not there","$codemode.gone is not there"]`)
}

// EXEC-17: errors are cloned as their own class, and dates name the zone.
func TestExec17ClonesAndDates(t *testing.T) {
	for code, want := range map[string]string{
		"const e: any = structuredClone(new RangeError('m', { cause: [1] })); return [e instanceof RangeError, e.name, e.message, e.cause, Object.keys(e)]":                `[true,"RangeError","m",[1],[]]`,
		"class E extends TypeError {}; const e: any = structuredClone(Object.assign(new E('m'), { name: 'E', code: 1 })); return [e instanceof TypeError, e.name, e.code]": `[false,"Error",null]`,
		"return [String(new Date(0)), new Date(0).toTimeString()]": `["Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)","00:00:00 GMT+0000 (Coordinated Universal Time)"]`,
		// From the examples of Unicode's table 3-8 and those of the Encoding standard.
		"return [[0xc0, 0xaf, 0xe0, 0x80, 0xbf, 0xf0, 0x81, 0x82, 0x41], [0xed, 0xa0, 0x80, 0xed, 0xbf, 0xbf, 0x41], [0xf4, 0x91, 0x92, 0x93, 0xff, 0x41, 0x80, 0xbf, 0x42], [0xe1, 0x80, 0xe2, 0xf0, 0x91, 0x92, 0xf1, 0xbf, 0x41], [0xe2, 0x82]].map((b) => new TextDecoder().decode(new Uint8Array(b)))": "[\"\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA\",\"\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA\",\"\ufffd\ufffd\ufffd\ufffd\ufffdA\ufffd\ufffdB\",\"\ufffd\ufffd\ufffd\ufffdA\",\"\ufffd\"]",
		"return [null, undefined, 12, true, '?a=1&?b=2', { d: 1 }, [['e', 2]]].map((x: any) => new URLSearchParams(x).toString())":                                                                                                                                                                          `["","","12=","true=","a=1&%3Fb=2","d=1","e=2"]`,
		"return [new URL('https://a.b'), new URLSearchParams()].map((x) => Object.prototype.toString.call(x))":                                                                                                                                                                                              `["[object URL]","[object URLSearchParams]"]`,
	} {
		o, _ := runScript(t, code)
		wantValue(t, o, want)
	}
}
