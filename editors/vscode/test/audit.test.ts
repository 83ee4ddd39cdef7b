import assert from "node:assert/strict";
import { test } from "node:test";
import { decidedBy } from "../src/auditText";

test("VSC-9: the audit view says who decided", () => {
  const entry = { time: "", tool: "mcp__a__x", decision: "allow" };
  assert.equal(decidedBy({ ...entry, by: "answer", scope: "once" }), "allowed by you, once");
  assert.equal(decidedBy({ ...entry, decision: "deny", by: "rule", rule: "mcp__a__*", layer: "user" }), "denied by the rule mcp__a__* (user)");
  assert.equal(decidedBy({ ...entry, decision: "cancelled", by: "end" }), "not decided: the run ended first");
  // Of a newer server, and what a rule's file may hold.
  assert.equal(decidedBy({ ...entry, by: "oracle" }), "allowed by oracle");
  assert.ok(!decidedBy({ ...entry, by: "rule", rule: "a\nb\u202e", layer: "user" }).includes("\n"));
});
