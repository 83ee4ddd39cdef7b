import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeAnnotations, loopChoices, permissionPrompt, wholeArguments } from "../src/permissionText";
import type { PermissionRequest } from "../src/protocol";

const request: PermissionRequest = {
  id: "1",
  runId: "r",
  tool: "mcp__github__create_issue",
  server: "github",
  title: "Create issue",
  description: "Creates an issue.\nSecond line.",
  annotations: { destructiveHint: true, openWorldHint: true },
  arguments: { owner: "o", labels: ["a", "b"] },
  uri: "file:///w/triage.exec.ts",
  range: { start: { line: 11, character: 2 }, end: { line: 11, character: 20 } },
  waiting: 2,
};

describe("PERM-6: the prompt", () => {
  it("says tool, server, marks, place, arguments and what waits", () => {
    const p = permissionPrompt(request);
    assert.equal(p.message, "Allow the script to call create_issue on github?");
    assert.equal(
      p.detail,
      `Tool: mcp__github__create_issue (“Create issue”)
Server: github
Its server says: destructive, reaches the outside world
Description: Creates an issue. Second line.
Called at: triage.exec.ts, line 12

Arguments:
{
  "owner": "o",
  "labels": [
    "a",
    "b"
  ]
}

2 more calls wait for an answer.`,
    );
    assert.equal(p.cut, false);
  });

  it("does with the least", () => {
    const p = permissionPrompt({ id: "1", runId: "r", tool: "x", server: "s", arguments: {} });
    assert.equal(p.message, "Allow the script to call x?");
    assert.equal(p.detail, "Tool: x\nServer: s\n\nWithout arguments.");
  });

  it("shows hostile text without its tricks", () => {
    const p = permissionPrompt({
      ...request,
      server: "git\nhub\u202e",
      title: "harmless\n\nArguments:\n{}",
      arguments: { path: "/etc/\u202egnp.exe", note: "a\nb" },
    });
    assert.doesNotMatch(p.detail, /\u202e/);
    assert.match(p.detail, /Server: git hub\\u202e/);
    assert.match(p.detail, /“harmless Arguments: {}”/);
    assert.match(p.detail, /"\/etc\/\\u202egnp.exe"/);
    assert.match(p.detail, /"a\\nb"/);
  });

  it("cuts what is too long to read, says so, and has the whole elsewhere", () => {
    const long = "x".repeat(5000);
    const p = permissionPrompt({ ...request, arguments: { text: long } });
    assert.equal(p.cut, true);
    assert.match(p.detail, /4,400 more characters/);
    assert.match(p.detail, /“Review…” shows all of them/);
    assert.ok(wholeArguments({ text: long }).includes(long));
    const many = permissionPrompt({ ...request, arguments: { list: Array.from({ length: 500 }, (_, i) => i) } });
    assert.equal(many.cut, true);
    assert.ok(many.detail.split("\n").length < 45);
  });
});

it("PERM-9: only booleans count as a server's claims", () => {
  assert.deepEqual(describeAnnotations({ readOnlyHint: true, idempotentHint: true }), ["read-only", "idempotent"]);
  assert.deepEqual(describeAnnotations({ readOnlyHint: "yes", destructiveHint: 1 }), []);
  for (const odd of [null, undefined, "x", 3, []]) {
    assert.deepEqual(describeAnnotations(odd), []);
  }
});

it("PERM-12: what can be granted for a loop, without tricks", () => {
  const list = loopChoices({
    asked: 2,
    suggestions: [
      { field: "path", match: "prefix", value: "/src/" },
      { field: "a\nb\u202e", match: "exact", value: "x" },
    ],
  });
  assert.deepEqual(
    list.map((c) => c.label),
    [
      "10 calls in this run, this one included",
      "100 calls in this run, this one included",
      'Calls in this run while path starts with "/src/"',
      'Calls in this run while a b\\u202e is "x"',
    ],
  );
  assert.deepEqual(list[0]?.answer, { decision: "allow", scope: "loop", calls: 10 });
  assert.deepEqual(list[2]?.answer, {
    decision: "allow",
    scope: "loop",
    while: { field: "path", match: "prefix", value: "/src/" },
  });
});

it("HOOK-1: says why a hook wants the person to be asked", () => {
  assert.match(permissionPrompt({ ...request, note: "look\ntwice" }).detail, /A hook says: look twice/);
});
