import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallRecord, ExecResult } from "../src/protocol";
import { resultView, runList } from "../src/resultHtml";
import { RunModel, Runs } from "../src/runModel";
import { waterfall } from "../src/waterfall";

const call = (index: number, status: CallRecord["status"], extra: Partial<CallRecord> = {}): CallRecord => ({
  index,
  tool: `mcp__s__t${index}`,
  server: "s",
  arguments: { n: index },
  status,
  ...extra,
});

const timing = (startMs: number, permissionMs: number, queuedMs: number, runMs: number): NonNullable<CallRecord["timing"]> => ({
  startMs,
  permissionMs,
  queuedMs,
  runMs,
  endMs: startMs + permissionMs + queuedMs + runMs,
  totalMs: permissionMs + queuedMs + runMs,
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
  calls: [call(0, "completed", { timing: timing(0, 5, 0, 15), range: { start: { line: 4, character: 2 }, end: { line: 4, character: 9 } }, result: { ok: "yes" } })],
  warnings: [{ message: "was a Map", path: "$.a" }],
  timing: { wallMs: 1200, activeMs: 3, permissionMs: 900, queuedMs: 0 },
};

const run = (dryRun = false): RunModel => new RunModel("token", "file:///w/a.exec.ts", dryRun, 0);

describe("OBS-1: events of runs that overlap", () => {
  it("of an agent make a run of their own, with its name (GATE-3)", () => {
    const runs = new Runs();
    assert.equal(runs.ofAgent({ runId: "1", kind: "started" }, 0), undefined);
    const { run: first, first: isFirst } = runs.ofAgent({ runId: "1", kind: "started", agent: "a/b <i>" }, 0) ?? assert.fail();
    assert.ok(isFirst);
    const later = runs.ofAgent({ runId: "1", kind: "call", agent: "a/b <i>", call: call(0, "running") }, 5) ?? assert.fail();
    assert.equal(later.run, first);
    assert.ok(!later.first);
    assert.equal(first.calls.length, 1);
    const view = runList(runs.list, first).text;
    assert.match(view, /a script of a_b &lt;i/);
    assert.match(view, /data-do="stop"/);
    // GATE-5: once it has ended, its script can be kept.
    assert.doesNotMatch(resultView(first, 0).text, /data-do="keep"/);
    first.code = "return 1";
    first.finish(result);
    assert.match(resultView(first, 0).text, /data-do="keep"/);
    assert.doesNotMatch(resultView(run(), 0).text, /data-do="keep"/);
  });

  it("go to the run whose token they carry, and to no other", () => {
    const runs = new Runs();
    const a = new RunModel("a", "file:///a.exec.ts", false, 0);
    const b = new RunModel("b", "file:///a.exec.ts", false, 0);
    runs.start(a);
    runs.start(b);
    assert.deepEqual(runs.list, [b, a], "newest first");
    assert.equal(runs.apply({ runId: "2", token: "b", kind: "started" }, 1), b);
    assert.equal(runs.apply({ runId: "1", token: "a", kind: "started" }, 1), a);
    assert.equal(runs.apply({ runId: "2", token: "b", kind: "call", call: call(1, "queued") }, 2), b);
    assert.equal(runs.apply({ runId: "2", token: "b", kind: "call", call: call(0, "running") }, 3), b);
    assert.equal(runs.apply({ runId: "2", token: "b", kind: "call", call: call(1, "completed") }, 4), b);
    assert.deepEqual(b.calls.map((c) => c.status), ["running", "completed"]);
    assert.deepEqual(a.calls, []);
    assert.equal(runs.apply({ runId: "3", kind: "log" }, 5), undefined, "an agent's run");
  });

  it("do not change a run that has ended", () => {
    const r = run();
    r.finish(result);
    r.apply({ runId: "r1", kind: "call", call: call(0, "failed") }, 1);
    assert.equal(r.calls[0]?.status, "completed");
  });

  it("keeps a bounded list, and every run under way", () => {
    const runs = new Runs();
    const first = new RunModel("first", "file:///a.exec.ts", false, 0);
    runs.start(first);
    for (let i = 0; i < 100; i++) {
      const r = new RunModel(String(i), "file:///a.exec.ts", false, 0);
      r.finish(result);
      runs.start(r);
    }
    assert.ok(runs.list.length < 40);
    assert.ok(runs.list.includes(first));
  });

  it("a run survives being saved, also one that was under way", () => {
    const r = run();
    r.finish(result);
    assert.equal(RunModel.restore(JSON.parse(JSON.stringify(r.save())) as ReturnType<RunModel["save"]>).result?.runId, "r1");
    assert.match(RunModel.restore(run().save()).failure ?? "", /closed while this script ran/);
  });
});

describe("VSC-2: the waterfall", () => {
  it("has every call on one axis, its own time apart from a person's", () => {
    const r = run();
    r.finish({ ...result, calls: [call(0, "completed", { timing: timing(0, 0, 0, 50) }), call(1, "completed", { timing: timing(50, 0, 25, 25) })] });
    const w = waterfall(r, 0);
    assert.equal(w.lengthMs, 100);
    assert.deepEqual(w.bars.map((b) => b.segments), [
      [{ phase: "running", left: 0, width: 50 }],
      [
        { phase: "queued", left: 50, width: 25 },
        { phase: "running", left: 75, width: 25 },
      ],
    ]);
    assert.deepEqual(w.bars.map((b) => b.ownMs), [50, 25]);
  });

  it("a minute of waiting for a person does not hide ten milliseconds of work", () => {
    const r = run();
    r.finish({ ...result, calls: [call(0, "completed", { timing: timing(0, 60_000, 0, 10) }), call(1, "completed", { timing: timing(60_010, 0, 0, 10) })] });
    const w = waterfall(r, 0);
    assert.equal(w.shortened, true);
    assert.equal(w.lengthMs, 20);
    const [first, second] = w.bars.map((b) => b.segments.find((s) => s.phase === "running"));
    assert.ok((first?.width ?? 0) > 30 && (second?.width ?? 0) > 30, JSON.stringify(w));
    assert.equal(w.bars[0]?.waitedMs, 60_000);
  });

  it("moves while the run goes on", () => {
    const r = run();
    r.apply({ runId: "r", token: "token", kind: "call", call: call(0, "queued") }, 10);
    r.apply({ runId: "r", token: "token", kind: "call", call: call(0, "running") }, 20);
    assert.equal(waterfall(r, 50).bars[0]?.ownMs, 30);
    assert.equal(waterfall(r, 80).bars[0]?.ownMs, 60);
  });
});

describe("VSC-2: the result", () => {
  it("shows status, time, calls with their results, logs and warnings, escaped", () => {
    const r = run();
    r.finish(result);
    const view = resultView(r, 0).text;
    for (const part of ["Completed", "1.2 s", "900 ms waiting for you", "1 tool call", "mcp__s__t0", "line 5", "was a Map", "careful\\u202e", "15 ms", "&quot;ok&quot;"]) {
      assert.ok(view.includes(part), part);
    }
    assert.doesNotMatch(view, /<script|<b>/);
    assert.match(view, /data-open="file:\/\/\/w\/a.exec.ts" data-line="4" data-character="2"/);
    assert.match(view, /id="value" data-own data-value-of="token"/);
  });

  it("a value that was left out is never shown as something it is not", () => {
    const r = run();
    r.finish({ ...result, value: undefined, valueOmitted: { bytes: 3_000_000, artifact: "/cache/value.json" } });
    const view = resultView(r, 0).text;
    assert.match(view, /The value is 2.9 MiB long/);
    assert.match(view, /data-do="fetch"/);
    assert.match(view, /data-file="\/cache\/value.json"/);
    assert.doesNotMatch(view, /undefined|returned nothing/);
    assert.doesNotMatch(resultView(r, 0, true).text, /data-do="fetch"/);
  });

  it("shows a run under way, with a stop button and the way to what waits", () => {
    const r = run();
    r.apply({ runId: "r", kind: "call", call: call(0, "waiting") }, 1);
    const view = resultView(r, 2).text;
    assert.match(view, /Running…/);
    assert.match(view, /data-do="stop" data-run="token"/);
    assert.match(view, /waiting for you/);
    assert.match(view, /data-do="review"/);
  });

  it("a dry run cannot be taken for a real one", () => {
    const r = run(true);
    r.finish({ ...result, calls: [call(0, "completed", { verdict: "ask" }), call(1, "completed", { verdict: "deny", verdictBy: "the rule mcp__s__t1" })] });
    const view = resultView(r, 0).text;
    assert.match(view, /Nothing was called/);
    assert.match(view, /would ask/);
    assert.match(view, /would be denied: the rule mcp__s__t1/);
    assert.doesNotMatch(view, />done<|>Completed</);
    assert.match(runList([r], r).text, /class="tag">dry/);
  });

  it("shows what failed and where; places of the stack are links with the script's name", () => {
    const r = run();
    r.finish({
      ...result,
      status: "code_error",
      hasValue: false,
      error: { name: "TypeError", message: "no <such>\nthing", stack: "at f (script.ts:3:4)", range: { start: { line: 2, character: 3 }, end: { line: 2, character: 4 } } },
    });
    const view = resultView(r, 0).text;
    assert.match(view, /<strong>TypeError<\/strong>: no &lt;such&gt;\nthing/);
    assert.match(view, /data-line="2" data-character="3">a\.exec\.ts:3:4</);
  });

  it("names the setting of the budget that ended it", () => {
    const r = run();
    r.finish({ ...result, status: "timeout", hasValue: false, error: { name: "TimeoutError", message: "too long", code: "TIMEOUT" }, budget: { setting: "exec.timeoutMs", value: 120_000, unit: "ms", raise: "Raise <it>." } });
    const view = resultView(r, 0).text;
    assert.match(view, /The limit was 120,000 ms\. Raise &lt;it&gt;\./);
    assert.match(view, /data-do="setting" data-tool="codemode.exec.timeoutMs"/);
  });

  it("shows images as data, labelled, and nothing that could be a document", () => {
    const r = run();
    r.finish({
      ...result,
      output: [
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "image", mimeType: "image/svg+xml", data: "AAAA" },
        { type: "image", mimeType: "image/png", data: `"><script>` },
      ],
    });
    const view = resultView(r, 0).text;
    assert.equal(view.match(/<img /g)?.length, 1);
    assert.match(view, /alt="Image 1 of the script, image\/png"/);
    assert.equal(view.match(/cannot be shown here/g)?.length, 2);
  });

  it("shows a request that failed, and leaves no call running", () => {
    const r = run();
    r.apply({ runId: "r", kind: "call", call: call(0, "running") }, 1);
    r.fail("the server is gone");
    const view = resultView(r, 0).text;
    assert.match(view, /Could not run/);
    assert.match(view, /the server is gone/);
    assert.match(view, /cancelled/);
  });

  it("every run of the list has its own Stop, while it runs", () => {
    const a = new RunModel("a", "file:///a.exec.ts", false, 0);
    const b = new RunModel("b", "file:///b.exec.ts", false, 0);
    b.finish(result);
    const view = runList([a, b], b).text;
    assert.deepEqual([...view.matchAll(/data-do="stop" data-run="(\w)"/g)].map((m) => m[1]), ["a"]);
  });
});
