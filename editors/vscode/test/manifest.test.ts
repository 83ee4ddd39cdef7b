import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import manifest from "../package.json";

const folder = new URL("../../src/", import.meta.url); // the tests run in out/test
const source = readdirSync(folder)
  .filter((f) => f.endsWith(".ts"))
  .map((f) => readFileSync(new URL(f, folder), "utf8"))
  .join("\n");

const registered = (call: string): string[] => [...source.matchAll(new RegExp(`\\b${call}\\("([\\w.]+)"`, "g"))].map((m) => m[1] ?? "").sort();

test("VSC-1: what the manifest declares is registered, and the other way round", () => {
  const { commands, languageModelTools, mcpServerDefinitionProviders, views } = manifest.contributes;
  assert.deepEqual(registered("command"), commands.map((c) => c.command).sort());
  assert.deepEqual(registered("registerTool"), languageModelTools.map((t) => t.name).sort());
  assert.deepEqual(registered("registerMcpServerDefinitionProvider"), mcpServerDefinitionProviders.map((p) => p.id));
  const trees = views.codemode.filter((v) => !("type" in v)).map((v) => v.id);
  assert.deepEqual(registered("registerTreeDataProvider"), trees.sort());
});

test("VSC-1: menus and keys name commands that there are", () => {
  const { commands, menus, keybindings } = manifest.contributes;
  const known = new Set(commands.map((c) => c.command));
  const named = [...Object.values(menus).flat(), ...keybindings].map((m) => m.command);
  assert.deepEqual(named.filter((c) => !known.has(c)), []);
});
