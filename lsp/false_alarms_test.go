package lsp

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// correct are scripts as people and models write them. None has anything wrong
// with it; each is checked as TypeScript and, without types in it, as JavaScript.
var correct = []struct{ js, ts string }{
	{js: "const issue = await tools.mcp__github__get_issue({ id: 7 });\nconsole.log('got', issue);\nreturn issue;"},
	{js: "const [a, b] = await Promise.all([1, 2].map((id) => tools.mcp__github__get_issue({ id })));\nreturn { a, b };"},
	{js: "const settled = await Promise.allSettled([tools.mcp__github__get_issue({ id: 1 }), tools['mcp__ddg-search__search']({ query: 'x' })]);\nreturn settled.filter((s) => s.status === 'fulfilled').length;"},
	{js: "try {\n  await tools.mcp__github__get_issue({ id: -1 });\n} catch (e) {\n  return `failed: ${e.message} ${e.tool}`;\n}"},
	{js: "const text = String(await tools['mcp__ddg-search__search']({ query: 'a/b' }));\nconst found = text.match(/tools\\.x\\(\"[^\"]*\"\\)/g) ?? [];\nreturn found.length / 2;"},
	{js: "let page = 1;\nconst all = [];\nwhile (page < 3) {\n  const r = await tools.mcp__github__get_issue({ id: page });\n  all.push(r);\n  page += 1;\n}\nreturn all.length;"},
	{js: "const r = await tools.$codemode.search({ query: 'issue' });\nreturn r.map((t) => t.name);"},
	{js: "const r = await tools[\"$codemode\"].search();\nawait tools[\"$codemode\"].store({ key: 'k', value: r.length });\nreturn await tools[\"$codemode\"].load({ key: 'k' });"},
	{js: "// @options: {\"timeout_ms\": 1000, \"max_tool_calls\": 5}\nreturn await tools.mcp__github__get_issue({ id: 1 });"},
	{js: "async function get(id = 1) {\n  return await tools.mcp__github__get_issue({ id });\n}\nreturn [await get(1), await get(2)];"},
	{js: "const get = (id = 0) => tools.mcp__github__get_issue({ id });\nconst p = get(1);\nconst q = get(2);\nreturn await Promise.all([p, q]);"},
	{js: "const seen = new Map();\nfor (const [key, value] of Object.entries({ a: 1, b: 2 })) seen.set(key, value * 2);\nreturn Object.fromEntries(seen);"},
	{js: "const u = new URL('https://example.com/a?b=1');\nu.searchParams.set('c', '2');\nreturn u.toString() + btoa('x') + new TextEncoder().encode('y').length;"},
	{js: "const copy = structuredClone({ a: [1, 2] });\nqueueMicrotask(() => console.info(copy));\nreturn copy;"},
	{js: "return Object.keys(tools).filter((name) => name.includes('github') && name in tools);"},
	{js: "void tools.mcp__github__get_issue({ id: 1 });\nreturn 1;"},
	{js: "const name = 'fetch';\nconst o = { fetch: 1, process: 2, require: 3, import: 4 };\nreturn o.fetch + o.process + o[name];"},
	{js: "switch ((await tools.mcp__github__create_issue({ owner: 'o', title: 't', state: 'open' })).number) {\n  case 1:\n    return 'one';\n  default:\n    return 'many';\n}"},
	{js: "return await new Promise((resolve, reject) => {\n  tools.mcp__github__get_issue({ id: 1 }).then(resolve, reject);\n});"},
	{js: "const results = await Promise.all(\n  ['a', 'b'].map(async (query) => {\n    const r = await tools['mcp__ddg-search__search']({ query });\n    return { query, r };\n  }),\n);\nreturn results;"},
	{js: "class Wrapped extends Error {\n  constructor(m = '') { super(m); this.name = 'Wrapped' }\n}\nif (Math.random() > 2) throw new Wrapped('x');\nreturn 1;"},
	{js: "const date = new Date(Date.now());\nreturn date.toISOString().slice(0, 10).replace(/-/g, '/');"},
	{js: "export default async () => {\n  return await tools.mcp__github__get_issue({ id: 1 });\n};"},
	{js: "export default 42;"},
	{js: "\ufeff#!/usr/bin/env codemode-ls run\nreturn await tools.mcp__github__get_issue({ id: 1 });"},
	{js: "\ufeff#! use /tools.mcp__none__such({})\nexport default async () => await tools.mcp__github__get_issue({ id: 1 });"},
	{js: "export default async function main() {\n  return tools.mcp__github__get_issue({ id: 1 });\n}"},
	{js: "```js\nreturn 1;\n```"},
	{ts: "interface Row { id: number; name?: string }\nconst rows: Row[] = [{ id: 1 }];\nreturn rows.map((r: Row): string => `${r.id}: ${r.name ?? 'none'}`);"},
	{ts: "type Issue = Awaited<ReturnType<typeof tools.mcp__github__create_issue>>;\nconst made: Issue[] = [];\nmade.push(await tools.mcp__github__create_issue({ owner: 'o', title: 't', state: 'open', labels: [{ color: 'f00' }] }));\nreturn made.at(-1)?.number;"},
	{ts: "const raw = (await tools.mcp__github__get_issue({ id: 1 })) as { title: string } | null;\nreturn raw?.title ?? 'none';"},
	{ts: "enum Level { Low, High }\nconst level: Level = Level.High;\nreturn Level[level];"},
	{ts: "try { await tools.mcp__github__get_issue({ id: 1 }) } catch (e: unknown) {\n  return e instanceof Error ? e.message : String(e);\n}"},
	{ts: "function assertString(value: unknown): asserts value is string {\n  if (typeof value !== 'string') throw new TypeError('no');\n}\nconst v: unknown = await tools.mcp__github__get_issue({ id: 1 });\nassertString(v);\nreturn v.length;"},
	{ts: "const ids = [1, 2] as const;\nconst byId: Record<number, unknown> = {};\nawait Promise.all(ids.map(async (id) => { byId[id] = await tools.mcp__github__get_issue({ id }); }));\nreturn byId satisfies Record<number, unknown>;"},
	{ts: "import type { Thing } from './types';\nconst t = { a: 1 } as Thing;\nreturn t;"},
	{ts: "const f = <T,>(x: T): T => x;\nreturn f<number>(1) / f(2) / 3;"},
}

// DIAG-1: a correct script has no diagnostic but hints of TypeScript's own.
func TestDiag1FalseAlarms(t *testing.T) {
	g := newStage(t, able(), "")
	check := func(text string, l script.Language) {
		found, err := analysis.Check(t.Context(), g.engine, g.snap.Workspace, script.Read(text), l)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if _, err := strconv.Atoi(f.Code); err == nil && f.Severity == int(protocol.DiagnosticSeverityHint) {
				continue
			}
			t.Errorf("%s:\n%s\nline %d: %s", l, text, f.Range.Start.Line+1, fmt.Sprint(f.Code, " ", f.Message))
		}
	}
	for _, c := range correct {
		if c.js != "" {
			check(c.js, script.JavaScript)
		}
		check(c.js+c.ts, script.TypeScript)
	}
}

// DIAG-1: no false alarm in correct scripts over recorded servers, whatever ends
// their lines.
func TestFalseAlarms(t *testing.T) {
	g := recordedStage(t, able())
	cases := scriptCases(t, "correct.txt")
	checked, alarms := 0, 0
	for _, c := range cases {
		for _, l := range c.languages {
			for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
				checked++
				if short, all := g.problems(text, l); len(short) > 0 {
					alarms++
					t.Errorf("correct.txt:%d: %s, %s: %v", c.line, c.name, l, all)
				}
			}
		}
	}
	t.Logf("%d false alarms in %d texts of %d scripts", alarms, checked, len(cases))
}
