import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../package.json";
import { declaredSettings, settingsSection, type Inspected } from "../src/settingsSection";

test("TRUST-1: the workspace's part is named, defaults are not sent", () => {
  const values: Record<string, Inspected & { defaultValue?: unknown }> = {
    mcpServers: { defaultValue: {}, globalValue: { a: { command: "a" } }, workspaceValue: { b: { command: "b" } } },
    "exec.timeoutMs": { defaultValue: 120000 },
    "exec.maxRuns": { globalValue: 2, workspaceFolderValue: 3 },
    exclude: { globalValue: ["x"] },
  };
  assert.deepEqual(settingsSection(Object.keys(values), (name) => values[name]), {
    mcpServers: { a: { command: "a" }, b: { command: "b" } },
    "exec.maxRuns": 3,
    exclude: ["x"],
    $workspace: { mcpServers: { b: { command: "b" } }, "exec.maxRuns": 3 },
  });
  // Nothing set in the workspace is said too: silence would count as all of it.
  assert.deepEqual(settingsSection([], () => undefined), { $workspace: {} });
});

test("the manifest's settings, without the client's own", () => {
  const names = declaredSettings(manifest);
  assert.ok(names.includes("mcpServers") && names.includes("exec.timeoutMs"));
  assert.ok(!names.includes("server.path") && !names.includes("trace.server"));
});
