import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetStop, budgets, catalogView, comparison, compare, diffLines, namespaces, toolDetail, toolRows } from "../src/catalogHtml";
import { insertion } from "../src/insertText";
import type { Catalog, CatalogTool } from "../src/protocol";

const tool = (name: string, extra: Partial<CatalogTool> = {}): CatalogTool => ({
  name,
  server: "s",
  description: "does <things>",
  signature: `tools.${name}(): Promise<unknown>`,
  tokens: 12,
  shown: true,
  permission: "ask",
  ...extra,
});

const catalog: Catalog = {
  text: "2 MCP tools on 1 server can be called from an Exec script.",
  hash: "h",
  partial: true,
  shown: 1,
  total: 2,
  tokens: 250,
  flatTokens: 1000,
  servers: [{ namespace: "mcp__s", name: "s", tools: 2, shown: 1, tokens: 24 }],
  tools: [tool("mcp__s__a", { permission: "allow", annotations: { readOnlyHint: true } }), tool("mcp__s__b", { shown: false })],
};

test("VSC-4: figures, and what each server costs", () => {
  const view = catalogView({ ...catalog, servers: [...catalog.servers, { namespace: "mcp__t", name: "t<b>", tools: 1, shown: 1, tokens: 48 }] }, undefined).text;
  for (const part of ["250 tokens", "1,000 tokens", "75 % fewer", "partial", "Cost by server", "48 tokens, 1 of 1 tool", "t&lt;b&gt;"]) {
    assert.ok(view.includes(part), part);
  }
  assert.ok(view.indexOf("t&lt;b&gt;") < view.indexOf("24 tokens"), "the dearest first");
  assert.deepEqual(namespaces(catalog), [{ value: "mcp__s", label: "s (2 tools)" }]);
  assert.equal(comparison({ tokens: 2000, flatTokens: 800_000 }), "400 times smaller");
  assert.equal(comparison({ tokens: 300, flatTokens: 200 }), "50 % more");
});

test("VSC-4: rows have what the list and its search need, and no more", () => {
  const rows = toolRows([tool("mcp__s__a", { annotations: { destructiveHint: true }, description: "x".repeat(10_000) })]);
  assert.deepEqual(rows.map((r) => [r.own, r.marks]), [["a", ["destructive"]]]);
  assert.ok(rows.every((r) => r.words.length < 500));
});

test("VSC-4: one tool in full, escaped", () => {
  const view = toolDetail(tool("mcp__s__a"), false, { signature: "deep", inputSchema: { type: "<object>" }, problems: ["/x: broken"] }).text;
  for (const part of ["does &lt;things&gt;", "cut from the text", "asks", "deep", "Input schema", "&lt;object&gt;", "/x: broken", 'data-do="insert"']) {
    assert.ok(view.includes(part), part);
  }
});

test("an empty pool", () => {
  const view = catalogView({ ...catalog, tools: [], servers: [], total: 0, shown: 0, tokens: 0, flatTokens: 0 }, undefined).text;
  assert.match(view, /No MCP tools are available/);
  assert.doesNotMatch(view, /NaN|Infinity/);
});

test("VSC-4: the change is a diff of declarations", () => {
  const changes = compare(catalog.tools, [tool("mcp__s__a", { signature: "a\nb\nd" }), tool("mcp__s__c")]);
  assert.deepEqual(changes?.map((c) => [c.name, c.before !== undefined, c.after !== undefined]), [
    ["mcp__s__a", true, true],
    ["mcp__s__c", false, true],
    ["mcp__s__b", true, false],
  ]);
  assert.match(catalogView(catalog, changes).text, /3 tools changed/);
  assert.equal(compare(catalog.tools, [...catalog.tools].reverse()), undefined);
  assert.deepEqual(diffLines("a\nb\nc", "a\nx\nc\nd").map((l) => `${l.kind[0]}${l.text}`), ["sa", "rb", "ax", "sc", "ad"]);
  assert.deepEqual(diffLines("", "a"), [{ kind: "added", text: "a" }]);
});

test("a call is inserted where it fits, and never glued to other code", () => {
  const at = (line: string, character = line.length): string => {
    const i = insertion(line, character, "mcp__s__a", "({ x: ${1} })$0");
    return `${i.position}|${i.text}`;
  };
  const call = "await tools.mcp__s__a({ x: ${1} })$0";
  assert.equal(at(""), `here|${call};`);
  assert.equal(at("  "), `here|${call};`);
  assert.equal(at("const a = "), `here|${call};`);
  assert.equal(at("const a ="), `here| ${call};`);
  assert.equal(at("f(", 2), `here|${call}`);
  assert.equal(at("return await "), `here|${call.slice(6)};`);
  assert.equal(at("  const b = 1;"), `next line|\n  ${call};`);
  assert.equal(at("const b = 1;", 3), `next line|\n${call};`);
  assert.equal(insertion("", 0, "mcp__a-b__$x", undefined).text, 'await tools["mcp__a-b__\\$x"]({ $1 });');
});

test("the slider has a stop for every budget", () => {
  assert.equal(budgets[budgetStop(2000)], 2000);
  assert.equal(budgets[budgetStop(2300)], 2000);
  assert.equal(budgets[budgetStop(1e9)], 200_000);
});
