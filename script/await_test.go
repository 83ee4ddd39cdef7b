package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// EXEC-14: what nobody awaits, what would have to be awaited, and what is no
// mistake.
func TestFindUnawaited(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "await tools.a({}); void tools.b({}); return tools.c({})", ""},
		{"a statement", "tools.a({});", "a: tools.a({})"},
		{"with then", "tools.a({}).then((x) => x).finally(f)", "a: tools.a({}).then((x) => x).finally(f)"},
		{"dealt with", "tools.a({}).catch(f); tools.b({}).then(f, g)", ""},
		{"operands", "x && tools.a({}); y ? tools.b({}) : tools.c({})\nz ?? tools.d({})", "a: tools.a({})|b: tools.b({})|c: tools.c({})|d: tools.d({})"},
		{"operands that are used", "const a = x && tools.a({}); f(a); return y ? tools.b({}) : tools.c({}); g(x || tools.d({}))", ""},
		{"in parentheses", "(tools.a({}));", "a: (tools.a({}))"},
		{"forEach", "xs.forEach((x) => tools.a({ x }))", "a: xs.forEach((x) => tools.a({ x }))"},
		{"forEach with async", "a.b(c)[0].forEach(async (x) => { await tools.a({ x }) })", ": a.b(c)[0].forEach(async (x) => { await tools.a({ x }) }) callback several"},
		{"forEach without calls", "xs.forEach(async (x) => { await f(x) }); xs.forEach((x) => f(x))", ""},
		{"map", "xs.map((x) => tools.a({ x }));", "a: xs.map((x) => tools.a({ x })) several"},
		{"map that is used", "const ps = xs.map((x) => tools.a({ x })); await Promise.all(ps); await Promise.all(xs.map((x) => tools.b({ x })))", ""},
		{"map that is forgotten", "const ps = xs.map((x) => tools.a({ x }))", ""},
		{"Promise.all", "Promise.all([tools.a({}), tools.b({})])", "a: Promise.all([tools.a({}), tools.b({})])|b: Promise.all([tools.a({}), tools.b({})])"},
		{"Promise.all over map", "Promise.allSettled(xs.map((x) => tools.a({ x }))).then(f)", "a: Promise.allSettled(xs.map((x) => tools.a({ x }))).then(f)"},
		{"made a text", "return `${tools.a({})}` + JSON.stringify(tools.b({})) + String(tools.c({}))", "a: tools.a({})|b: tools.b({})|c: tools.c({})"},
		{"added to a text", "return \"a\" + tools.a({}) + `b` + tools.b({}); const s = tools.c({}) + 'c'; f(s)", "a: tools.a({})|b: tools.b({})|c: tools.c({})"},
		{"logged", "console.log('a', tools.a({}), await tools.b({})); console.table?.(tools.c({}))", "a: tools.a({})"},
		{"not added to a text", "return 'a' + await tools.a({}) + (await tools.b({})) + 'b'; log(tools.c({})); console.log(await Promise.all([tools.d({})]))", ""},
		{"not made a text", "return `${await tools.a({})}` + JSON.stringify({ b: tools.b({}) })", ""},
		{"forgotten", "const p = tools.a({}); const q = tools.b({}); return q", "a: tools.a({})"},
		{"a function", "async function main() { await tools.a({}) }\nmain()\nawait main(); return main()", ": main()"},
		{"a function that calls another", "const f = async () => { await tools.a({}) }; const g = async () => { await f() }; g();", ": g()"},
		{"a function that makes a promise", "const get = (id) => tools.a({ id }); get(1); const p = get(2); return p", ": get(1)"},
		{"a function without calls", "async function f() { await g() }\nf()", ""},
		{"called at once", "(async () => { await tools.a({}) })();\nawait (async () => { await tools.b({}) })()", ": (async () => { await tools.a({}) })()"},
		{"where await is not allowed", "function f() { tools.a({}) }", "a: tools.a({}) not async"},
		{"in a method", "class A { async m() { tools.a({}) } n() { tools.b({}) } }", "a: tools.a({})|b: tools.b({}) not async"},
		{"by another name", "const t = tools, { a, b: c, ...rest } = tools, d = tools.d;\nt.e({}); a({}); c({}); d({}); rest.f({})", "e: t.e({})|a: a({})|b: c({})|d: d({})|f: rest.f({})"},
		{"hostile", strings.Repeat("xs.map((x) => ", 2000) + "tools.a({})", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, u := range FindUnawaited(tt.text) {
				s := fmt.Sprintf("%s: %s", u.Tool, tt.text[u.Start:u.End])
				for what, is := range map[string]bool{" callback": u.Callback} {
					if is {
						s += what
					}
				}
				if u.Several {
					s += " several"
				}
				if !u.Async {
					s += " not async"
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Other names for tools, and for members of it, as far as a text alone can tell.
func TestUsesOfAliases(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"const t = tools; await t.a({})", "a awaited called(1 object)"},
		{`const { a, "b-c": d, ...rest } = tools; await a({}); await d(1); await rest.e({})`, "a|b-c quoted|a awaited called(1 object)|b-c awaited called(1 number)|e awaited called(1 object)"},
		{"const read = tools.a; for (const x of xs) await read({ x })", "a|a awaited called(1 object) loop together"},
		{"const t = tools; function f(t) { t.a() }", ""},
		{"const t = tools; const g = () => { const t = other; t.a() }", ""},
		{"const t = tools.a.b; t({})", "a"},
		{"const { $codemode } = tools; $codemode.search({})", ""},
	} {
		var got []string
		for _, u := range Uses(tt.text) {
			got = append(got, show(u))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, s, tt.want)
		}
	}
}
