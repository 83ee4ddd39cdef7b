import assert from "node:assert/strict";
import { test } from "node:test";
import type { Server } from "../src/protocol";
import { status } from "../src/statusText";

const server = (s: Server["status"], tools = 0): Server => ({ name: s, status: s, tools, ...(s === "untrusted" && { approval: { hash: "h" } }) });

test("TRUST-1: a refused server waits for nobody", () => {
  const refused: Server = { name: "r", status: "untrusted", tools: 0, approval: { hash: "h", refused: true } };
  assert.deepEqual(status("ready", undefined, [refused], 0), { text: "$(tools) Code Mode: 0 tools", tooltip: "Code Mode: 0 tools on 1 server", level: "normal" });
});

test("VSC-5: the worst thing shows", () => {
  const servers = [server("connected", 3), server("failed"), server("untrusted")];
  assert.deepEqual(status("ready", undefined, servers, 0), {
    text: "$(shield) Code Mode: 3 tools",
    tooltip: "Code Mode: 3 tools on 3 servers\n1 server waits for approval\n1 server failed",
    level: "warning",
  });
  assert.equal(status("ready", undefined, servers, 1).text, "$(sync~spin) Code Mode: 3 tools");
  assert.equal(status("ready", undefined, [server("failed")], 0).level, "warning");
  assert.equal(status("ready", undefined, [], 0).text, "$(tools) Code Mode: 0 tools");
  assert.equal(status("failed", "gone", [], 0).level, "error");
  assert.match(status("restricted", undefined, servers, 0).tooltip, /restricted/);
});
