import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetStop, budgets, catalogView, compare, namespaces } from "../src/catalogHtml";
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

test("VSC-4: figures, marks, cut and allowed tools", () => {
  const view = catalogView(catalog, undefined).text;
  for (const part of ["250 tokens", "1,000 tokens", "75 % fewer", "partial", "does &lt;things&gt;", "allowed", "asks", "read-only", ">cut<"]) {
    assert.ok(view.includes(part), part);
  }
  assert.deepEqual(namespaces(catalog), [{ value: "mcp__s", label: "s (2 tools)" }]);
});

test("an empty pool", () => {
  const view = catalogView({ ...catalog, tools: [], servers: [], total: 0, shown: 0, tokens: 0, flatTokens: 0 }, undefined).text;
  assert.match(view, /No MCP tools are available now/);
  assert.doesNotMatch(view, /NaN|Infinity/);
});

test("VSC-4: what changed", () => {
  const change = compare(catalog.tools, [tool("mcp__s__a", { signature: "other" }), tool("mcp__s__c")]);
  assert.deepEqual(change, { added: ["mcp__s__c"], removed: ["mcp__s__b"], changed: ["mcp__s__a"] });
  assert.match(catalogView(catalog, change).text, /Added: <code>mcp__s__c<\/code>/);
  assert.equal(compare(catalog.tools, [...catalog.tools].reverse()), undefined);
});

test("the slider has a stop for every budget", () => {
  assert.equal(budgets[budgetStop(2000)], 2000);
  assert.equal(budgets[budgetStop(2300)], 2000);
  assert.equal(budgets[budgetStop(1e9)], 200_000);
});
