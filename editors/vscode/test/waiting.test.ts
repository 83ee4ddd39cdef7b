import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallRecord, CallStatus, PermissionRequest } from "../src/protocol";
import { waitingView } from "../src/waitingHtml";
import { Waiting } from "../src/waitingModel";

const request = (id: string, call: number, extra: Partial<PermissionRequest> = {}): PermissionRequest => ({
  id,
  runId: "r",
  call,
  tool: "mcp__files__delete",
  server: "files",
  title: "Delete a file",
  description: "Deletes a file.\nFor good.",
  annotations: { destructiveHint: true },
  arguments: {},
  argumentsText: '{"path":"/a","n":12345678901234567890}',
  uri: "file:///w/clean.exec.ts",
  range: { start: { line: 11, character: 2 }, end: { line: 11, character: 20 } },
  ...extra,
});
const call = (index: number, status: CallStatus, tool = "mcp__files__delete"): CallRecord => ({ index, tool, server: "files", arguments: { path: `/${index}` }, status });
const add = (w: Waiting, r: PermissionRequest): void => {
  w.add({ kind: "call", key: `call ${r.id}`, request: r });
};

describe("VSC-3: one list of what waits", () => {
  it("has the open question and the calls behind it, each once", () => {
    const w = new Waiting();
    assert.equal(w.apply({ runId: "r", kind: "call", call: call(0, "queued") }), false);
    for (const i of [0, 1, 2]) {
      assert.equal(w.apply({ runId: "r", kind: "call", call: call(i, "waiting", i === 1 ? "mcp__files__read" : undefined) }), true);
    }
    add(w, request("a", 0));
    assert.equal(w.count, 3);
    assert.deepEqual(w.upcoming.map((u) => u.call.index), [1, 2]);
    assert.equal(w.alike(request("a", 0)), 2);
    const view = waitingView(w).text;
    assert.match(view, /Allow all 2/);
    assert.match(view, /Next <span class="count">2/);

    assert.equal(w.apply({ runId: "r", kind: "call", call: call(2, "running") }), true);
    assert.equal(w.apply({ runId: "other", kind: "finished" }), false);
    assert.equal(w.apply({ runId: "r", kind: "finished" }), true);
    w.remove("call a");
    assert.equal(w.count, 0);
    assert.match(waitingView(w).text, /Nothing waits/);
  });

  it("adds below what is of its kind, and calls above the rest", () => {
    const w = new Waiting();
    add(w, request("a", 0));
    const before = waitingView(w).text.match(/<section class="card[\s\S]*?<\/section>/g)?.[0];
    w.add({ kind: "input", key: "input x", question: { id: "x", file: "/w/.mcp.json" } });
    add(w, request("b", 1));
    assert.deepEqual(w.items.map((i) => i.key), ["call a", "call b", "input x"]);
    assert.equal(waitingView(w).text.match(/<section class="card[\s\S]*?<\/section>/g)?.[0], before);
  });

  it("PERM-15: tool and arguments come before what the server says of itself, and Deny before Allow", () => {
    const w = new Waiting();
    add(w, request("a", 0, { note: "look\u202etwice" }));
    const view = waitingView(w).text;
    const order = ["<h2>", ">destructive<", "12345678901234567890", ">Deny<", ">Allow once<", "clean.exec.ts, line 12", "look\\u202etwice", "Deletes a file."].map((t) => view.indexOf(t));
    assert.deepEqual(order, [...order].sort((a, b) => a - b), view);
    assert.ok(order.every((at) => at >= 0), view);
  });

  it("escapes what servers and scripts write", () => {
    const w = new Waiting();
    add(w, request("a", 0, { tool: "mcp__a__<b>", server: "<img>", description: "<script>", argumentsText: '{"<i>":"</pre>"}' }));
    assert.doesNotMatch(waitingView(w).text, /<b>|<img>|<script>|<i>|<\/pre>"/);
  });
});

describe("TRUST-1: servers of a workspace", () => {
  const server = { name: "db", status: "untrusted" as const, tools: 0, approval: { hash: "h", command: "sh" } };
  const refused = { ...server, name: "old", approval: { hash: "o", command: "sh", refused: true } };

  it("wait until somebody decides, and are asked about once", () => {
    const w = new Waiting();
    w.servers([server, refused]);
    assert.deepEqual(w.items.map((i) => i.key), ["server db h"]);
    w.later("server db h");
    w.servers([server, refused]);
    assert.equal(w.count, 0);
    w.servers([server, refused], true);
    assert.deepEqual(w.items.map((i) => i.key), ["server db h", "server old o"]);
    w.servers([{ ...server, approval: { hash: "changed", command: "bash" } }]);
    assert.deepEqual(w.items.map((i) => i.key), ["server db changed"], "another definition is another question");
    w.servers([{ name: "db", status: "connected", tools: 3 }]);
    assert.equal(w.count, 0);
  });

  it("no button that starts something is the first", () => {
    const w = new Waiting();
    w.servers([server]);
    const buttons = [...waitingView(w).text.matchAll(/data-decide="(\w+)"/g)].map((m) => m[1]);
    assert.deepEqual(buttons, ["later", "start", "never", "none"]);
  });

  it("a card names the agent that asks (GATE-3)", () => {
    const w = new Waiting();
    add(w, request("1", 0, { agent: "Gemini <b>" }));
    assert.match(waitingView(w).text, /for the agent “Gemini &lt;b/);
  });
});
