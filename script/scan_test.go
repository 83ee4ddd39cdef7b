package script

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"codemode-ls/internal/growth"

	"github.com/google/go-cmp/cmp"
)

// show is a use as the tests write it.
func show(u Use) string {
	s := u.Name
	if u.Member != "" {
		s += "." + u.Member
	}
	if u.Quoted {
		s += " quoted"
	}
	if u.Awaited {
		s += " awaited"
	}
	if u.Called {
		s += fmt.Sprintf(" called(%d%s)", u.ArgumentCount, map[bool]string{true: " " + u.FirstArgument}[u.FirstArgument != ""])
	}
	for what, is := range map[string]bool{" loop": u.InLoop} {
		if is {
			s += what
		}
	}
	if u.Together {
		s += " together"
	}
	if u.Unasked {
		s += " unasked"
	} else if u.Untyped {
		s += " asked"
	}
	return s
}

func TestUses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "await tools.a({})", "a awaited called(1 object)"},
		{"none", "const x = 1", ""},
		{"not called", "const f = tools.a", "a"},
		{"no argument", "await tools.a()", "a awaited called(0)"},
		{"two arguments", "await tools.a({a: [1, 2], f(x, y) {}}, 2,)", "a awaited called(2 object)"},
		{"kinds", "await tools.a('x');await tools.b([1]);await tools.c(-1);await tools.d(`x${1}y`);await tools.e(() => ({}));await tools.f(null);await tools.g(x);await tools.h({}.x)",
			"a awaited called(1 string)|b awaited called(1 array)|c awaited called(1 number)|d awaited called(1 string)|e awaited called(1 function)|f awaited called(1 null)|g awaited called(1)|h awaited called(1)"},
		{"quoted", `await tools["mcp__a-b__c"]({})`, "mcp__a-b__c quoted awaited called(1 object)"},
		{"escapes", `await tools['a\x2db\u{2d}c\u002dd']({})`, "a-b-c-d quoted awaited called(1 object)"},
		{"template as a name", "await tools[`a`]({}); tools[`a${1}`]", "a quoted awaited called(1 object)"},
		{"optional", `await tools?.a?.({}); await tools?.["b"]({})`, "a awaited called(1 object)|b quoted awaited called(1 object)"},
		{"non-null", "await tools!.a!({})", "a awaited called(1 object)"},
		{"type arguments", "await tools.a<Array<string>>({})", "a awaited called(1 object)"},
		{"reserved", `await tools["$codemode"].search({}); await tools.$codemode["describe"]({})`,
			"$codemode.search quoted awaited called(1 object)|$codemode.describe awaited called(1 object)"},
		{"member of something else", "x.tools.a(); x?.tools.b()", ""},
		{"in a string", `"tools.a()"; 'it\'s tools.b'; "open tools.c`, ""},
		{"after an open string", "const s = 'open\nawait tools.a()", "a awaited called(0)"},
		{"in comments", "// tools.a\n/* tools.b\n tools.c */ await tools.d()", "d awaited called(0)"},
		{"in an open comment", "/* tools.a()", ""},
		{"in templates", "`tools.a ${await tools.b({x: `${await tools.c()} tools.d`})} tools.e`", "b awaited called(1 object)|c awaited called(0)"},
		{"in a regular expression", `const r = /tools.a()/; x.match(/[/"]tools.b/g); await tools.c()`, "c awaited called(0)"},
		{"division", "const q = a / tools.b / 2; const p = (1) / tools.c / 3; const o = x[1] / tools.d /1", "b|c|d"},
		{"regular expression after a head", "if (x) /'/.test(y); await tools.a()", "a awaited called(0)"},
		{"regular expression after return", "return /'/.test(await tools.a())", "a awaited called(0)"},
		{"regular expression after a block", "if (x) { y }\n/'/.test(z); await tools.a()", "a awaited called(0)"},
		{"postfix and division", "i++ / 2; x! / 2; await tools.a() // '", "a awaited called(0)"},
		{"does not parse", "const x = { a: [ await tools.a({ b: ", "a awaited called(1)"},
		{"member still missing", "tools.\nconst x = await tools.a()\ntools.", "a awaited called(0)"},
		{"discarded", "tools.a({});\ntools.b({})\nif (x) tools.c({})\nelse tools.d({})\n{ tools.e({}) }",
			"a called(1 object)|b called(1 object)|c called(1 object)|d called(1 object)|e called(1 object)"},
		{"discarded with then", "tools.a({}).then(x => x)", "a called(1 object)"},
		{"rejection dealt with", "tools.a({}).then(x => x, e => e); tools.b({}).then(f).catch(g)\ntools.c({}).finally(f)", "a called(1 object)|b called(1 object)|c called(1 object)"},
		{"case", "switch (x) { case 1: tools.a({}); break; default: tools.b({}) }", "a called(1 object)|b called(1 object)"},
		{"used", "const p = tools.a(); f(p); return tools.b(); f(tools.c()); x = [tools.d()]; x => tools.e(); void tools.f(); x = y ? tools.g() : tools.h(); ({ a: tools.i() }); x ??= tools.j()",
			"a called(0)|b called(0)|c called(0)|d called(0)|e called(0)|f called(0)|g called(0)|h called(0)|i called(0)|j called(0)"},
		{"used on the next line", "const p =\n  tools.a()\nreturn Promise.all([p,\n  tools.b(),\n  tools.c()\n])", "a called(0)|b called(0)|c called(0)"},
		{"awaited on the line before", "await\n  tools.a()", "a awaited called(0)"},
		{"loops", "for (const x of await tools.a()) { await tools.b({ x }) }\nwhile (await tools.c()) await tools.d()\ndo { await tools.e() } while (1)\nawait tools.f()",
			"a awaited called(0)|b awaited called(1 object) loop together|c awaited called(0)|d awaited called(0) loop|e awaited called(0) loop|f awaited called(0)"},
		{"no loop in a function", "for (const x of xs) { ps.push(async () => await tools.a()); fs.push(function () { return tools.b() }) }",
			"a awaited called(0)|b called(0)"},
		{"a loop in a function", "async function f(): Promise<void> { for (;;) { await tools.a() } }", "a awaited called(0) loop together"},
		{"called for each element", "xs.map((x) => tools.a({ x }))\nxs.forEach(async function (x) { await tools.b({ x }) })\nArray.from({ length: 3 }, () => tools.c())\nxs.reduce((p, x) => p.then(() => tools.d()), p)\nxs.map(tools.e)",
			"a called(1 object) loop|b awaited called(1 object) loop|c called(0) loop|d called(0) loop|e loop"},
		{"not for each element", "xs.sort(() => tools.a())\nxs.slice(1, tools.b())\nxs.map(x, () => tools.c())\nmap(() => tools.d())\nxs.map\n(tools.e)",
			"a called(0)|b called(0)|c called(0)|d called(0)|e loop"},
		{"functions that run where they stand", "for (const x of xs) { await retry(() => tools.a()); await (async () => { await tools.b() })(); p.then(() => tools.c()) }\nawait retry(() => tools.d())",
			"a called(0) loop|b awaited called(0) loop|c called(0) loop|d called(0)"},
		{"functions by name", "const f = async (x) => { await tools.a({ x }) }\nfunction g(x) { return tools.b({ x }) }\nconst h = async () => { await tools.c() }\nfunction i() { return g() }\nfor (const x of xs) await f(x)\nxs.map(i)\nawait h()",
			"a awaited called(1 object) loop|b called(1 object) loop|c awaited called(0)"},
		{"casts", "await (tools as any).a({}); await (<any>tools).b(); await ((tools as unknown) as Record<string, F>)['c'](); await (tools)!.d(); await (tools satisfies object).e()",
			"a awaited called(1 object) unasked|b awaited called(0) unasked|c quoted awaited called(0) unasked|d awaited called(0)|e awaited called(0) unasked"},
		{"casts by comments", "await /** @type {any} */ (tools).a(); await (tools).b()", "a awaited called(0) unasked|b awaited called(0)"},
		{"no casts", "f(tools as any).a(); (tools as any || x).b(); (tools as any, x).c()",
			""},
		{"of globalThis", "await globalThis.tools.a(); await globalThis['tools']?.b(); await (globalThis as any).tools['c'](); globalThis.x.tools.d(); x.globalThis.tools.e()",
			"a awaited called(0) unasked|b awaited called(0) unasked|c quoted awaited called(0) unasked"},
		{"other names", "const t = tools as any; t.a(); const u: any = tools, v = (tools as any); u.b(); v.c(); const { tools: w } = globalThis; w.d(); const x = t; x.e()",
			"a called(0) unasked|b called(0) unasked|c called(0) unasked|d called(0) unasked|e called(0) unasked"},
		{"names of something else", "let t = tools as any; t = other; t.a(); function f(tools) { (tools as any).b() }", "b called(0) asked"},
		{"taken out", "const { a, b: c, d = e, f } = tools as any; a(); c(); d(); g = f ?? h; const i = globalThis.tools.i; i()",
			"a unasked|b unasked|d asked|f asked|a called(0)|b called(0)|d called(0)|i unasked|i called(0)"},
		{"asked for first", "const t = tools as any; if (t.a) t.a(); t.b?.(); if ('c' in t) t.c(); t.toString(); typeof t.d === 'function' && t.d()",
			"a asked|a called(0) asked|b called(0) asked|c called(0) asked|toString called(0) asked|d asked|d called(0) asked"},
		{"rounds that compare", "for (const x of xs) { if (x === y || x !== z) continue; out.push(await tools.a({ x })) }", "a awaited called(1 object) loop together"},
		{"rounds that need each other", `for (const x of xs) { const r = await tools.a({ c }); c = r.c }
for (const x of xs) { if ((await tools.b()).done) break }
let n = 0; for (let i = 0; i < 3; i++) { n += (await tools.c()).n }
for (const x of xs) { seen.push(await tools.d({ seen })) }
for await (const x of xs) { await tools.e() }`,
			"a awaited called(1 object) loop|b awaited called(0) loop|c awaited called(0) loop|d awaited called(1 object) loop|e awaited called(0) loop"},
		{"rounds that do not", "for (const id of ids) {\n  const r = await tools.a({ id })\n  out.push(r.x)\n}\nfor (let i = 0; i < 3; i++) await tools.b({ i })",
			"a awaited called(1 object) loop together|b awaited called(1 object) loop together"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, u := range Read(tt.text).Uses() {
				got = append(got, show(u))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// LSP-2: columns count UTF-16 units, whatever ends a line.
func TestUsesPositions(t *testing.T) {
	uses := Read("'😀';\r\n\t/* 😀 */ await tools['a-b']({ x: '😀' }, 2)\rtools.$codemode.search").Uses()
	want := []Use{
		{
			Name: "a-b", Quoted: true, Awaited: true, Called: true, ArgumentCount: 2, FirstArgument: "object",
			NameRange: Range{Position{1, 23}, Position{1, 26}}, Whole: Range{Position{1, 16}, Position{1, 28}},
			Arguments:      Range{Position{1, 29}, Position{1, 43}},
			ArgumentRanges: []Range{{Position{1, 29}, Position{1, 40}}, {Position{1, 42}, Position{1, 43}}},
		},
		{
			Name: "$codemode", Member: "search", NameRange: Range{Position{2, 6}, Position{2, 15}},
			MemberRange: Range{Position{2, 16}, Position{2, 22}}, Whole: Range{Position{2, 0}, Position{2, 22}},
		},
	}
	if diff := cmp.Diff(want, uses); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The cursor is the | in each text; what is replaced stands in the answer.
func TestCompletionAt(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"tools.|", `tool "" replaces "" dot "."`},
		{"await tools.mcp__a|", `tool "mcp__a" replaces "mcp__a" dot "."`},
		{"tools.mc|p__a({})", `tool "mc" replaces "mcp__a" dot "."`},
		{"tools.|mcp__a({})", `tool "" replaces "mcp__a" dot "."`},
		{"tools?.x|", `tool "x" replaces "x" dot "?."`},
		{"tools!.x|", `tool "x" replaces "x" dot "."`},
		{"tools.|\nconst x = 1", `tool "" replaces "" dot "."`},
		{"tools\n  .x|", `tool "x" replaces "x" dot "."`},
		{"tools.mcp__a-b|", `tool "mcp__a-b" replaces "mcp__a-b" dot "."`},
		{"tools.mcp__a-|", `tool "mcp__a-" replaces "mcp__a-" dot "."`},
		{"x - tools.a - b|", ``},
		{`tools["|"]`, `tool "" replaces "" quote "`},
		{`tools["mcp__a-|b"]({})`, `tool "mcp__a-" replaces "mcp__a-b" quote "`},
		{`tools['mcp|`, `tool "mcp" replaces "mcp" quote '`},
		{"tools[`mcp|`]", "tool \"mcp\" replaces \"mcp\" quote `"},
		{`tools?.["x|"]`, `tool "x" replaces "x" quote "`},
		{`tools["mcp|] + "b"`, `tool "mcp" replaces "mcp" quote "`},
		{`tools["mcp__a__l|ook up 🎉é"]({})`, `tool "mcp__a__l" replaces "mcp__a__look up 🎉é" quote "`},
		{`tools["|données"]`, `tool "" replaces "données" quote "`},
		{"tools[`m|é x`]", "tool \"m\" replaces \"mé x\" quote `"},
		{`tools["mcp|é`, `tool "mcp" replaces "mcpé" quote "`},
		{`tools["mcp|é] + x["y"]`, `tool "mcp" replaces "mcpé" quote "`},
		{`tools["$codemode"].se|`, `member "se" replaces "se" dot "."`},
		{"tools.$codemode.|", `member "" replaces "" dot "."`},
		{"tools.$codemode?.|", `member "" replaces "" dot "?."`},
		{`tools["$codemode"]["s|"]`, `member "s" replaces "s" quote "`},
		{"`${tools.x|}`", `tool "x" replaces "x" dot "."`},
		{"tools|", ``}, {"x.tools.|", ``}, {"tools.a.|", ``}, {"tools.a().|", ``}, {"// tools.|", ``}, {"/* tools.| */", ``},
		{"'tools.|'", ``}, {"`tools.|`", ``}, {"/tools.|/", ``}, {"tools.a(|)", ``}, {"tools.a({ x: '|' })", ``}, {"foo['|']", ``},
		{"[1].|", ``}, {"|", ``}, {"tools['a'|]", ``}, {"tools|['a']", ``}, {"tools.x // |", ``}, {"tools.1|", ``},
	} {
		t.Run(tt.text, func(t *testing.T) {
			offset := strings.Index(tt.text, "|")
			text := tt.text[:offset] + tt.text[offset+1:]
			c := Read(text).CompletionAt(offset)
			got := ""
			if c.Kind != "" {
				got = fmt.Sprintf("%s %q replaces %q", c.Kind, c.Prefix, sub(text, c.Replace))
				if c.Quote != 0 {
					got += " quote " + string(c.Quote)
				} else {
					got += fmt.Sprintf(" dot %q", sub(text, c.Dot))
				}
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// sub is the part of a text in a range.
func sub(text string, r Range) string {
	at := func(p Position) int {
		for i := 0; ; i++ {
			if (i == len(text) || utf8.RuneStart(text[i])) && positionAt(text, i) == p {
				return i
			}
		}
	}
	return text[at(r.Start):at(r.End)]
}

func TestArgumentAt(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"tools.a(|)", "a"},
		{"tools.a({|})", "a"},
		{"tools.a({ x|: 1 })", "a x"},
		{"tools.a({ x: |, y: 2 })", "a x"},
		{"tools.a({ x: 1, y: { z: [{ w: '|' }] } })", "a y z [] w"},
		{"tools.a({ x: { y: 1 }, |", "a"},
		{"tools.a({ 'x-y': |", "a x-y"},
		{"tools.a({ x: f(|) })", ""},
		{"tools.a({ x: (y) => { | } })", ""},
		{"tools.a({}) |", ""},
		{"f(|)", ""},
		{"tools.a({ x: await tools.b({ y: | }) })", "b y"},
	} {
		offset := strings.Index(tt.text, "|")
		u, path, ok := Read(tt.text[:offset] + tt.text[offset+1:]).ArgumentAt(offset)
		got := strings.Join(append([]string{u.Name}, path...), " ")
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: got %q %v, want %q", tt.text, got, ok, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"fetch('x')":                           "fetch",
		"x.fetch(); ({ fetch: 1 }); 'fetch'":   "",
		"const fetch = 1; fetch":               "",
		"const { a, fetch } = x; fetch":        "",
		"function f(fetch) { fetch() }":        "",
		"xs.map((fetch, i) => fetch); fetch()": "",
		"xs.map(fetch => fetch)":               "",
		"typeof fetch":                         "",
		"a ? fetch : 1; if (fetch) {}":         "fetch fetch",
		"f(1, fetch)":                          "fetch",
	} {
		var got []string
		for _, r := range Read(text).Mentions(func(n string) bool { return n == "fetch" }) {
			got = append(got, sub(text, r))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %q, want %q", text, s, want)
		}
	}
}

// EXEC-16
func TestIsModule(t *testing.T) {
	for text, want := range map[string]bool{
		"export default 1":                             true,
		"const x = 1;\nexport default async () => x":   true,
		"import type { A } from 'a'\nexport default 1": true,
		"return 1":                                          false,
		"export const x = 1":                                false,
		"// export default 1":                               false,
		"'export default 1'":                                false,
		"x.export.default":                                  false,
		"const o = { export: 1, default: 2 }":               false,
		"function f() { export default 1 }":                 false,
		"`${x}` \nexport default function () { return 1; }": true,
	} {
		if got := Read(text).IsModule(); got != want {
			t.Errorf("Read(%q).IsModule() = %v", text, got)
		}
	}
}

// EXEC-13
func TestReaches(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"import x from 'y'; return 1", "import:import x from 'y';"},
		{"import { a, b } from 'y'\nreturn 1", "import:import { a, b } from 'y'"},
		{"import 'y'", "import:import 'y'"},
		{"import * as z from 'y'", "import:import * as z from 'y'"},
		{"import type { A } from 'y'", "import type:import type { A } from 'y'"},
		{"import { type A, type B } from 'y'", "import type:import { type A, type B } from 'y'"},
		{"import { type A, b } from 'y'", "import:import { type A, b } from 'y'"},
		{"const m = await import('y')", "import():import('y')"},
		{"import.meta.url", "import.meta:import.meta.url"},
		{"const fs = require('fs')", "require:require('fs')"},
		{"export const x = 1", "export:export const x = 1"},
		{"export default 1", ""},
		{"x.import(1); x.require(2); ({ import: 1, export: 2 }); 'import x from y'", ""},
	} {
		var got []string
		for _, r := range Read(tt.text).Reaches() {
			got = append(got, r.Kind+":"+sub(tt.text, r.Whole))
			if tt.text[r.Start:r.End] != sub(tt.text, r.Whole) {
				t.Errorf("%q: offsets and positions differ", tt.text)
			}
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, s, tt.want)
		}
	}
}

// Any text, any offset: no panic, no endless loop, and ranges that lie in the
// text.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"await tools.a({})", "`${`${tools.a", "tools['a", "/[/]/ tools?.[\"x\"](", "case 1: {", "import { type", "\u2028tools.\\u0061", "\\", "tools.mcp__a-", "😀`${}}`", "a<b>(c)",
		"for (;;) { do { } while (", "export default", "tools.a<b<", "}})]", "((([{`${", "?.5", "1e+", "0x", "#!x\ntools.a", "tools.\\u{61}b(", "\xff\xfe tools.a(",
		"const { a, b: c, 'd': e = f, ...g } = (<any>tools) as any, h: any = globalThis?.['tools']!.x; tools[", "xs.map(tools.a, (tools as A<B, C>)!.b()); const { tools: t } = globalThis; t[na]",
		"/** @type {any} */ (tools).a(); import a, { b as c, type d } from 'e'; const { f: g } = await import('h'), i = require(j);",
		"const { a, b: c } = tools, d = tools.e;\nc({}); (async () => { tools.x() })(); `${tools.a()}`; x ? tools.y() : Promise.all([tools.z()].map((q) => d(q)))",
	} {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if len(text) > 2000 {
			return // what the checks below do takes quadratic time
		}
		end := positionAt(text, len(text))
		inside := func(r Range) {
			if before(r.End, r.Start) || before(end, r.End) {
				t.Errorf("%v is not in the text", r)
			}
		}
		for _, u := range Read(text).Uses() {
			inside(u.NameRange)
			inside(u.Whole)
			if u.Called {
				inside(u.Arguments)
			}
			if len(u.ArgumentRanges) != u.ArgumentCount {
				t.Errorf("%d ranges of %d arguments", len(u.ArgumentRanges), u.ArgumentCount)
			}
		}
		for _, r := range Read(text).Reaches() {
			inside(r.Whole)
			if r.Declaration.Start > r.Declaration.End || r.Declaration.End > len(text) {
				t.Errorf("%+v", r)
			}
		}
		for _, r := range Read(text).Mentions(func(string) bool { return true }) {
			inside(r)
		}
		Read(text).GlobalMembers(func(string) bool { return true })
		Read(text).ArgumentAt(offset)
		Read(text).IsModule()
		c := Read(text).CompletionAt(offset)
		inside(c.Replace)
		s := tokenize(text)
		last := 0
		for _, k := range s.tokens {
			if k.start < last || k.end <= k.start || k.end > len(text) {
				t.Fatalf("token %+v after %d", k, last)
			}
			last = k.end
		}
		if utf8.ValidString(text) {
			at := positions(text)
			for i := range text {
				if i > 0 && text[i-1:i+1] == "\r\n" {
					continue // no position is between the two
				}
				if at(i) != positionAt(text, i) {
					t.Fatalf("position of %d: %v, %v", i, at(i), positionAt(text, i))
				}
			}
		}
	})
}

// Time grows with the text's length alone, whatever is in it.
func TestScanIsLinear(t *testing.T) {
	for _, part := range []string{
		"await tools.a({ x: 1 });\n", "for (const x of xs) ", "for (;;) { ", "() => {", "tools.a(", "`${", "[", "tools.a<", "import ", "if (x) ", "x = ", "else ", "f(() => ",
		"tools.a().b", "case 1: {", "const a = b", "mcp__a-", "const p = tools.a();", "xs.map((x) => ", "async function f() { tools.a(); f(); ", "const {a} = tools;", "while (tools.a()) { x.push(",
		"import { a } from 'x';\n", "const { a } = require('x');\n", "(tools as any).a(", "(<any>tools", "globalThis!", "xs.map(f, ", "const f = async () => { tools.a() }; f(); ", "const { a } = tools as any, ",
	} {
		growth.Linear(t, part, 10_000, func(n int) {
			text := "tools.x;" + strings.Repeat(part, n) + "tools.y()"
			Read(text).Uses()
			Read(text).Reaches()
			Read(text).IsModule()
			Read(text).CompletionAt(len(text))
		})
	}
}

func before(a, b Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
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
		for _, u := range Read(tt.text).Uses() {
			got = append(got, show(u))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, s, tt.want)
		}
	}
}
