import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallRecord, ExecResult } from "../src/protocol";
import { resultView } from "../src/resultHtml";
import { RunModel, Runs } from "../src/runModel";

const call = (index: number, status: CallRecord["status"], extra: Partial<CallRecord> = {}): CallRecord => ({
  index,
  tool: `mcp__s__t${index}`,
  server: "s",
  arguments: { n: index },
  status,
  ...extra,
});

const result: ExecResult = {
  runId: "r1",
  status: "completed",
  text: "Script completed\nOutput:\n<b>",
  summary: "1 tool call",
  value: { a: [1, "<script>alert(1)</script>", null], b: {} },
  hasValue: true,
  logs: [{ level: "warn", text: "careful\u202e" }],
  output: [],
  calls: [call(0, "completed", { timing: { totalMs: 20, permissionMs: 5, queuedMs: 0 }, range: { start: { line: 4, character: 2 }, end: { line: 4, character: 9 } } })],
  warnings: [{ message: "was a Map", path: "$.a" }],
  timing: { wallMs: 1200, activeMs: 3, permissionMs: 900, queuedMs: 0 },
};

describe("OBS-1: events of runs that overlap", () => {
  it("go to the run that they belong to", () => {
    const runs = new Runs();
    const a = runs.start("file:///a.exec.ts", false);
    const b = runs.start("file:///b.exec.ts", false);
    assert.equal(runs.apply({ runId: "2", kind: "started", uri: "file:///b.exec.ts" }), b);
    assert.equal(runs.apply({ runId: "1", kind: "started" }), a);
    assert.equal(runs.apply({ runId: "2", kind: "call", call: call(1, "queued") }), b);
    assert.equal(runs.apply({ runId: "2", kind: "call", call: call(0, "running") }), b);
    assert.equal(runs.apply({ runId: "2", kind: "call", call: call(1, "completed") }), b);
    assert.deepEqual(b.calls.map((c) => c.status), ["running", "completed"]);
    assert.deepEqual(a.calls, []);
    assert.equal(runs.apply({ runId: "3", kind: "log" }), undefined, "somebody else's run");
    runs.end(b);
    assert.equal(runs.apply({ runId: "2", kind: "call", call: call(1, "failed") }), undefined);
  });

  it("do not change a run that has ended", () => {
    const run = new RunModel("file:///a.exec.ts", false);
    run.finish(result);
    run.apply({ runId: "r1", kind: "call", call: call(0, "failed") });
    assert.equal(run.calls[0]?.status, "completed");
  });
});

describe("VSC-2: the result", () => {
  it("shows status, time, value, calls, logs and warnings, escaped", () => {
    const run = new RunModel("file:///w/a.exec.ts", false);
    run.finish(result);
    const view = resultView(run).text;
    for (const part of ["Completed", "1.2 s", "900 ms waiting for you", "1 tool call", "mcp__s__t0", "line 5", "was a Map", "careful\\u202e", "3 items"]) {
      assert.ok(view.includes(part), part);
    }
    assert.doesNotMatch(view, /<script|<b>/);
    assert.match(view, /data-open="file:\/\/\/w\/a.exec.ts" data-line="4" data-character="2"/);
  });

  it("shows a run under way, with a stop button", () => {
    const run = new RunModel("file:///w/a.exec.ts", false);
    run.apply({ runId: "r", kind: "call", call: call(0, "waiting") });
    const view = resultView(run).text;
    assert.match(view, /Running…/);
    assert.match(view, /data-do="stop"/);
    assert.match(view, /waiting for you/);
  });

  it("shows what failed and where", () => {
    const run = new RunModel("file:///w/a.exec.ts", true);
    run.finish({
      ...result,
      status: "code_error",
      hasValue: false,
      value: undefined,
      error: { name: "TypeError", message: "no <such> thing", stack: "at 3:4", range: { start: { line: 2, character: 3 }, end: { line: 2, character: 4 } } },
    });
    const view = resultView(run).text;
    assert.match(view, /<strong>TypeError<\/strong>: no &lt;such&gt; thing/);
    assert.match(view, /line 3/);
    assert.match(view, /dry run/);
  });

  it("shows images as data, and nothing that could be a document", () => {
    const run = new RunModel("file:///w/a.exec.ts", false);
    run.finish({
      ...result,
      output: [
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "image", mimeType: "image/svg+xml", data: "AAAA" },
        { type: "image", mimeType: "image/png", data: `"><script>` },
      ],
    });
    const view = resultView(run).text;
    assert.equal(view.match(/<img /g)?.length, 1);
    assert.equal(view.match(/cannot be shown here/g)?.length, 2);
  });

  it("shows a request that failed", () => {
    const run = new RunModel("file:///w/a.exec.ts", false);
    run.fail("the server is gone");
    assert.match(resultView(run).text, /Could not run/);
    assert.match(resultView(run).text, /the server is gone/);
  });

  it("stays small however large the value is", () => {
    const run = new RunModel("file:///w/a.exec.ts", false);
    run.finish({ ...result, value: Array.from({ length: 100_000 }, (_, i) => i) });
    const view = resultView(run).text;
    assert.ok(view.length < 300_000, String(view.length));
    assert.match(view, /Only the first 2,000 entries/);
  });
});
