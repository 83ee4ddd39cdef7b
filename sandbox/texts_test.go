package sandbox

import (
	"fmt"
	"strings"
	"testing"
)

// BUD-12, EXEC-11: a script's own texts may be of any length; they are cut, and
// nothing that the host could take for garbage leaves the child.
func TestBud12LongTexts(t *testing.T) {
	for name, code := range map[string]string{
		"message":  `throw new Error("m".repeat(5e6))`,
		"escapes":  `throw new Error("\u0001".repeat(5e6))`,
		"name":     `const e = new Error("x"); e.name = "n".repeat(3e6); throw e`,
		"stack":    `const e = new Error("x"); e.stack = "s\n    at ".repeat(1e6); throw e`,
		"code":     `throw Object.assign(new Error("x"), { code: "c".repeat(3e6) })`,
		"cause":    `throw new Error("x", { cause: new Error("c".repeat(3e6)) })`,
		"all":      `const s = "\u0001".repeat(3e6), e = new Error(s, { cause: s }); e.name = s; e.stack = s; (e as any).code = s; throw e`,
		"text":     `throw "t".repeat(5e6)`,
		"pattern":  `new RegExp("(".repeat(3e6))`,
		"rejected": `for (let i = 0; i < 60; i++) Promise.reject(new Error("\u0001".repeat(1e5))); await null; throw new Error("x")`,
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := runScript(t, `console.log("kept");`+code)
			if o.Status != Thrown || o.Error == nil || o.Error.Name == "SandboxError" {
				t.Fatalf("%s %.200v", o.Status, o.Error)
			}
		})
	}
	o, _ := runScript(t, `return Array.from({ length: 60 }, (_, i) => Symbol("\u0001".repeat(1e5)))`)
	if o.Status != Completed || len(o.Warnings) == 0 {
		t.Errorf("%s %d warnings %.200v", o.Status, len(o.Warnings), o.Error)
	}
}

// EXEC-10, ISO-6: a value that is larger than what may cross fails by itself, in
// words, not the run by its channel; an argument's failure can be caught.
func TestExec10TooLarge(t *testing.T) {
	for name, code := range map[string]string{
		"one text":  `return "x".repeat(3e6)`,
		"last text": `return { a: 1, b: "x".repeat(3e6) }`,
		"key":       `return { ["x".repeat(3e6)]: 1 }`,
		"escapes":   `return "\u0001".repeat(9e5)`,
		"argument":  `await tools.echo({ a: "x".repeat(3e6) })`,
		"escaped":   `await tools.echo({ a: "\u0001".repeat(9e5) })`,
	} {
		t.Run(name, func(t *testing.T) {
			r, h := testRequest(code), &testHost{}
			r.Limits.ValueBytes = 1 << 20
			o := shared.Run(t.Context(), r, h)
			if o.Status != Thrown || !strings.Contains(o.Error.Message, "too large") || len(h.calls) != 0 {
				t.Errorf("%s %.200v, calls %d", o.Status, o.Error, len(h.calls))
			}
		})
	}
}

// EXEC-5, EXEC-10: a key that JSON cannot tell is refused or named, and never
// lost in silence; nor do two of them make JSON that the host refuses.
func TestExec10HalfPairs(t *testing.T) {
	for arg, ok := range map[string]bool{
		`{ "\ud800": 1 }`: false, `{ a: { "x\udc00": 1 } }`: false, `{ "\ufffd": 1, "\ud800": 2 }`: false,
		`{ "\ufffd": 1 }`: true, `{ "\u{1f600}": 1 }`: true,
	} {
		o, h := runScript(t, "return await tools.echo("+arg+")")
		if ok != (o.Status == Completed && len(h.calls) == 1) {
			t.Errorf("%s: %s %s %v", arg, o.Status, o.Value, o.Error)
		}
		if !ok && (o.Error == nil || !strings.Contains(o.Error.Message, "surrogate pair")) {
			t.Errorf("%s: %v", arg, o.Error)
		}
	}
	for code, want := range map[string]string{
		`return { "\ud800": 1, a: 2 }`:                                               `{"a":2}`,
		`return { "\ufffd": 1, "\ud800": 2 }`:                                        "{\"\ufffd\":1}",
		`return new Map([["\ud800", 1], ["\ud801", 2], ["\ufffd", 3]])`:              "{\"\ufffd\":1}",
		`return Object.assign(new Error("m"), { "\ud800": 1, "\ufffd": 2, "b": 3 })`: "",
	} {
		o, _ := runScript(t, code)
		if want != "" {
			wantValue(t, o, want)
		}
		found := false
		for _, w := range o.Warnings {
			found = found || w.Message == "a key that holds half of a surrogate pair was left out"
		}
		if o.Status != Completed || !found {
			t.Errorf("%s: %s %s %v %v", code, o.Status, o.Value, o.Error, o.Warnings)
		}
	}
}

// EXEC-7, EXEC-11: an AggregateError says why, also when it has no message.
func TestExec7AggregateError(t *testing.T) {
	o, _ := runScript(t, `await Promise.any([tools.fail({}), Promise.reject(new Error("two"))])`)
	wantError(t, o, Thrown, "AggregateError", "2 errors: Error: it failed; Error: two")
	if o.Error != nil && !strings.Contains(o.Error.Stack, "error 1 of 2: Error: it failed\n    at script.ts:1:") {
		t.Errorf("stack %q", o.Error.Stack)
	}
	o, _ = runScript(t, `throw new AggregateError([new Error("one"), 2], "both")`)
	wantError(t, o, Thrown, "AggregateError", "both")
	if o.Error != nil && !strings.Contains(o.Error.Stack, "error 2 of 2: 2") {
		t.Errorf("stack %q", o.Error.Stack)
	}
}

// EXEC-8, EXEC-11: an error's stack that a script reads reads as Node's in what it
// logs and returns; the stack of another program stays as it is.
func TestExec11StackTexts(t *testing.T) {
	o, _ := runScript(t, "try {\n  null.x\n} catch (e) { return { stack: e.stack, again: [e.stack] } }")
	const want = `TypeError: Cannot read property 'x' of undefined or null\n    at script.ts:2:8`
	wantValue(t, o, `{"stack":"`+want+`","again":["`+want+`"]}`)
	const java = `java.lang.E: m\n\tat com.a.B.c(B.java:10)\n\tat d.e(Native Method)\n`
	o, h := runScript(t, `const s = "`+java+`"; console.log(s); return s`)
	wantValue(t, o, `"`+java+`"`)
	if len(h.logs) != 1 || !strings.Contains(h.logs[0], "\tat com.a.B.c(B.java:10)\n\tat d.e(Native Method)\n") {
		t.Errorf("logs %q", h.logs)
	}
}

// EXEC-11, RES-4: no error shows where the engine keeps an object, whatever is in
// it and wherever its message goes.
func TestExec11NoAddresses(t *testing.T) {
	for _, how := range []string{"r + ''", "String(r)", "`${r}`", "+r", "r < 1"} {
		code := `const r: any = await tools.echo({ a: { b: "} x" }, c: [1] }); ` + how
		o, _ := runScript(t, code)
		wantError(t, o, Thrown, "TypeError", "Cannot convert object to primitive value")
		o, h := runScript(t, "try { "+code+" } catch (e) { console.log(e.message); return [e.message, e.stack] }")
		if all := string(o.Value) + strings.Join(h.logs, ""); strings.Contains(all, "&{") || strings.Contains(all, "0x") || !strings.Contains(all, "Cannot convert object") {
			t.Errorf("%s: %s", how, all)
		}
	}
}

// EXEC-17: compact numbers and units as they are written in English.
func TestExec17NumberFormat(t *testing.T) {
	o, _ := runScript(t, `const f = (o: any) => [0, 5, 12.34, 99.96, 123.45, 999.6, 1234, 1250, 1999, 9950, 12345, 99500, 123456, 999999, 1234567, 12345678, 1.5e9, 1e12, 1.2e15, -1234, -0.5, 0.123].map((x) => new Intl.NumberFormat("en", o).format(x)).join(" ")
return [f({ notation: "compact" }), f({ notation: "compact", maximumFractionDigits: 1 })]`)
	wantValue(t, o, `["0 5 12 100 123 1K 1.2K 1.3K 2K 10K 12K 100K 123K 1M 1.2M 12M 1.5B 1T 1200T -1.2K -0.5 0.12",`+
		`"0 5 12.3 100 123.5 999.6 1.2K 1.3K 2K 10K 12.3K 99.5K 123.5K 1M 1.2M 12.3M 1.5B 1T 1200T -1.2K -0.5 0.1"]`)
	o, _ = runScript(t, `return [["kilobyte", 12], ["day", 1], ["day", 2], ["celsius", 20], ["percent", 5], ["second", 1500]].map(([unit, n]: any) => new Intl.NumberFormat("en", { style: "unit", unit }).format(n)).concat(new Intl.NumberFormat("en", { style: "unit", unit: "foot", unitDisplay: "long" }).format(2))`)
	wantValue(t, o, `["12 kB","1 day","2 days","20°C","5%","1,500 sec","2 feet"]`)
}

// EXEC-11, EXEC-16: the stack of a module has the author's lines alone.
func TestExec11ModuleStack(t *testing.T) {
	for _, c := range []struct{ code, stack, place, unbroken string }{
		{"export default function main() {\n  return nope;\n}", "ReferenceError: nope is not defined\n    at main (script.ts:%s)", "2:10", "1:43"},
		{"export default async () => {\n  null.x;\n}", "TypeError: Cannot read property 'x' of undefined or null\n    at script.ts:%s", "2:8", "1:37"},
		{"export default async function () {\n  throw new Error('x');\n}", "Error: x\n    at script.ts:%s", "2:9", "1:44"},
	} {
		// LSP-5: ECMAScript ends a line at U+2028, an editor does not.
		for end, place := range map[string]string{"\n": c.place, "\r\n": c.place, "\r": c.place, "\u2028": c.unbroken} {
			o, _ := runScript(t, strings.ReplaceAll(c.code, "\n", end))
			want := fmt.Sprintf(c.stack, place)
			if o.Error == nil || o.Error.Stack != want || o.Error.At == nil || fmt.Sprintf("%d:%d", o.Error.At.Line+1, o.Error.At.Character+1) != place {
				t.Errorf("%q: %+v\nwant %q", end, o.Error, want)
			}
		}
	}
}

// EXEC-11: a position that a script makes up is none.
func TestExec11ForgedPosition(t *testing.T) {
	for _, place := range []string{"1:99999999999999999999", "99999999999999999999:1", "5:5", "1:2147483648", "0:0", "-1:-1"} {
		o, _ := runScript(t, `throw Object.assign(new Error("x"), { stack: "Error: x\n    at script.ts:`+place+`" })`)
		if o.Status != Thrown || o.Error.At != nil {
			t.Errorf("%s: %s %+v", place, o.Status, o.Error)
		}
	}
}

// EXEC-10: a boxed BigInt or symbol is what is in the box.
func TestExec10Boxes(t *testing.T) {
	o, _ := runScript(t, `return [1, { a: Object(1n) }]`)
	wantError(t, o, Thrown, "TypeError", "a BigInt cannot be converted to JSON: use Number(x) or String(x), at $[1].a")
	o, _ = runScript(t, `return [Object(Symbol("q"))]`)
	wantValue(t, o, `["Symbol(q)"]`)
}
