package sandbox

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A grammar of hostile programs: each capital letter in brackets stands for one of
// its pieces. Code in strings would make the word "pwned", which no piece writes.
var hostile = map[string][]string{
	"statement": {
		"[proto].[key] = [value];",
		"Object.defineProperty([proto], [name], { get() { [effect]; return [value] }, set() { [effect] }, configurable: true });",
		"Object.defineProperty([proto], [name], { value: [value], writable: true, configurable: true, enumerable: true });",
		"try { [statement] } catch (e) { kept = e } finally { [effect] }",
		"kept = [value];",
		"try { kept = await [value] } catch (e) { kept = e }",
		"try { kept = await [call] } catch (e) { kept = e }",
		"[call].catch((e) => { kept = e; [effect] });",
		"[call].then((v) => { kept = v; [effect] }, () => {});",
		"queueMicrotask(() => { try { [statement] } catch {} });",
		"console.log([value], [value]);",
		"console.log([format], [value]);",
		"Object.setPrototypeOf([value], [value]);",
		"delete globalThis[[name]];",
		"globalThis[[name]] = [value];",
		"for (const x of [[value], [value]]) { kept = x }",
		"class K extends [class] { static [Symbol.species] = [value]; [key] = [value]; then(r) { r([value]) } } kept = new K();",
		"try { kept = [string] } catch (e) { kept = e }",
		"try { throw [value] } catch (e) { kept = e }",
		"if (n++ < 3) { [statement] }",
		"with_: { [statement] break with_; }",
	},
	"string": {
		"eval([code])", "(0, eval)([code])", "new Function([code])()", "Function([code])()", "[value].constructor.constructor([code])()",
		"(async () => {}).constructor([code])()", "(function* () {}).constructor([code])().next()", "(async function* () {}).constructor([code])()",
		"Reflect.construct([value].constructor.constructor, [[code]])()", "Object.getPrototypeOf(async () => {}).constructor([code])()",
		"tools.echo.constructor([code])()", "kept.constructor.constructor([code])()", "[code].replace(/.*/, [value].constructor.constructor)",
		"import([code])", "[[code]].map([value].constructor.constructor)[0]()", "globalThis[[name]]?.([code])",
	},
	"code": {"'return \"pw\" + \"ned\"'", "'\"pw\" + \"ned\"'", "'data:text/javascript,throw \"pw\"+\"ned\"'", "`globalThis.found = 'pw' + 'ned'`"},
	"call": {
		"tools.echo([argument])", "tools.fail([argument])", "tools[[name]]([argument])", "tools['$codemode'].search([argument])",
		"tools.echo.call([value], [argument])", "Reflect.apply(tools.echo, [value], [[argument]])", "Promise.all([tools.echo([argument]), tools.echo([argument])])",
		"Promise.race([tools.echo([argument]), tools.hang({})])",
	},
	"argument": {"{ a: [value] }", "{ [[name]]: [value], b: { c: [value] } }", "[value]", "{ get a() { [effect]; return [value] } }", "kept", ""},
	"effect": {
		"n++", "kept = [value]", "tools.echo({ n })", "console.log(n)", "throw [value]", "[proto].[key] = [value]", "delete [proto].[key]",
		"queueMicrotask(() => n++)", "if (n++ > 50) throw 0",
	},
	"value": {
		"1", "'s'", "null", "undefined", "-0", "1n", "NaN", "[]", "[1, [2]]", "{}", "({ a: 1 })", "kept", "globalThis", "tools", "tools.echo", "console", "console.log",
		"() => [value]", "async () => [value]", "function* () { yield [value] }", "async function* () { yield [value] }", "class { [key] = 1 }", "new Map([[[value], 1]])",
		"new Set([1])", "new Error('e')", "new Proxy([value], {})", "new Proxy({}, { get: (t, k) => { [effect]; return t[k] }, ownKeys: () => ['a', [name]] })",
		"({ then(r) { r([value]) } })", "({ toJSON() { [effect]; return [value] } })", "({ [Symbol.toPrimitive]() { [effect]; return [value] } })",
		"({ get [Symbol.toStringTag]() { [effect]; return 'x' } })", "({ *[Symbol.iterator]() { [effect]; yield [value] } })", "Symbol('s')", "Symbol.iterator", "new Date(0)",
		"new Date(NaN)", "/x/g", "new Uint8Array(3)", "Promise.resolve([value])", "Promise.reject([value])", "Object.create(null)", "Object.create([value])", "Object.prototype",
		"Array.prototype", "Function.prototype", "Promise.prototype", "new (class extends [class] {})()", "Object.freeze({ a: [value] })", "JSON.parse('{\"__proto__\":{\"a\":1}}')",
		"new WeakRef({})", "new AggregateError([[value]], 'm', { cause: [value] })", "structuredClone([value])", "Object.assign([1], { x: [value] })",
	},
	"class":  {"Object", "Array", "Error", "Promise", "Map", "RegExp", "Function", "(class {})"},
	"proto":  {"Object.prototype", "Array.prototype", "Promise.prototype", "Function.prototype", "Error.prototype", "String.prototype", "Map.prototype", "RegExp.prototype", "globalThis", "JSON", "Reflect", "Symbol.prototype", "Iterator.prototype", "console", "Date.prototype"},
	"key":    {"then", "toJSON", "constructor", "toString", "valueOf", "length", "get", "set", "value", "call", "apply", "map", "forEach", "push", "message", "stack", "name", "exec", "next", "hasOwnProperty", "stringify", "resolve", "cause", "code"},
	"name":   {"'then'", "'a'", "'__proto__'", "'constructor'", "'toJSON'", "'0'", "'length'", "'stack'", "'eval'", "'Function'", "'Promise'", "'tools'", "'x y'", "'\\ud800'", "'$codemode'", "'kept'"},
	"format": {"'%s %o %j %d %%'", "'%O'", "'%c%s'", "'%'"},
}

// program grows a program of some statements.
func program(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("let kept = {}, n = 0;\n")
	for range 1 + r.IntN(6) {
		b.WriteString("try { " + growHostile(r, "[statement]", 6) + " } catch (e) { kept = e }\n")
	}
	b.WriteString(growHostile(r, []string{"return kept", "return [value]", "throw kept", "return await [call]", "return { kept, n }", "return [kept, [value]]"}[r.IntN(6)], 4))
	return b.String()
}

func growHostile(r *rand.Rand, text string, depth int) string {
	for {
		open := -1
		var name string
		for i := 0; i < len(text); i++ {
			if text[i] != '[' {
				continue
			}
			if end := strings.IndexByte(text[i:], ']'); end > 0 && hostile[text[i+1:i+end]] != nil {
				open, name = i, text[i+1:i+end]
				break
			}
		}
		if open < 0 {
			return text
		}
		options := hostile[name]
		choice := options[r.IntN(len(options))]
		if depth <= 0 {
			for range 20 {
				if !strings.Contains(choice, "[value]") && !strings.Contains(choice, "[statement]") && !strings.Contains(choice, "[effect]") {
					break
				}
				choice = options[r.IntN(len(options))]
			}
			if strings.Contains(choice, "[statement]") || strings.Contains(choice, "[effect]") || strings.Contains(choice, "[value]") {
				choice = map[string]string{"statement": "n++;", "effect": "n++", "value": "1", "argument": "{}", "call": "tools.echo({})", "string": "1"}[name]
			}
		}
		text = text[:open] + growHostile(r, choice, depth-1) + text[open+len(name)+2:]
	}
}

// checkProgram runs one program and checks all that the host holds of it.
func checkProgram(t *testing.T, code string) {
	t.Helper()
	r, h := testRequest(code), &testHost{}
	r.Language = "javascript"
	r.Limits.Wall = time.Second
	r.Limits.LogChars, r.Limits.LogEntries = 10_000, 100
	o := shared.Run(t.Context(), r, h)
	complain := func(format string, args ...any) {
		t.Errorf("%s\n%s\n%s %.300s %+v", fmt.Sprintf(format, args...), code, o.Status, o.Value, o.Error)
	}
	switch o.Status {
	case Completed:
		if o.HasValue != (len(o.Value) > 0) || o.HasValue && !o.Value.IsValid() {
			complain("the value is not JSON")
		}
	case Thrown, Invalid, Stalled, TimedOut, Memory:
		if o.Error == nil || o.Error.Call >= len(h.calls) {
			complain("no error, or one of a call that was not made")
		}
	default:
		complain("it ended as %s", o.Status)
	}
	if o.Wall > r.Limits.Wall+3*time.Second {
		complain("it took %v", o.Wall)
	}
	if len(h.logs) > r.Limits.LogEntries || len(o.Warnings) > maxFinishWarns {
		complain("%d entries, %d warnings", len(h.logs), len(o.Warnings))
	}
	said := string(o.Value) + strings.Join(h.logs, "\n")
	if o.Error != nil {
		said += o.Error.Message + o.Error.Stack
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, c := range h.calls {
		said += c.Name + string(c.Arguments)
		if !slices.ContainsFunc(h.calls, func(c Call) bool { return c.Index == i }) {
			complain("no call %d", i)
		}
		if !c.Arguments.IsValid() || c.Arguments.Kind() != jsontext.KindBeginObject || strings.Contains(string(c.Arguments), `"__proto__"`) {
			complain("arguments %s", c.Arguments)
		}
	}
	for _, word := range []string{"pwned", "goja", ".go:", "0xc0", "runtime error", "/root/"} {
		if strings.Contains(said, word) {
			complain("it says %q: %.2000s", word, said)
		}
	}
}

// TEST-5: random hostile programs leave the host as it was.
func TestHostilePrograms(t *testing.T) {
	before := runtime.NumGoroutine()
	r := rand.New(rand.NewPCG(20, 26))
	n := 400
	if testing.Short() || raceDetector {
		n = 60
	}
	work := make(chan string)
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for code := range work {
				checkProgram(t, code)
			}
		}()
	}
	for range n {
		work <- program(r)
	}
	close(work)
	for range 4 {
		<-done
	}
	o, h := runScript(t, "const r: any = await tools.echo({ a: [1, 'x'] }); console.log(r); return [r, Object.keys({}), typeof eval]")
	wantValue(t, o, `[{"a":[1,"x"]},[],"function"]`)
	if len(h.calls) != 1 || len(h.logs) != 1 {
		t.Errorf("%v %q", h.calls, h.logs)
	}
	if after := runtime.NumGoroutine(); after > before+20 {
		t.Errorf("%d goroutines, before %d", after, before)
	}
}

// TEST-4, TEST-5: the same from any seed: go test -fuzz FuzzPrograms ./sandbox
func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(2))
	f.Fuzz(func(t *testing.T, seed uint64) {
		checkProgram(t, program(rand.New(rand.NewPCG(seed, 1))))
	})
}
