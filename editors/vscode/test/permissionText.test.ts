import assert from "node:assert/strict";
import { it } from "node:test";
import { choicesFor, describeAnnotations, ownName } from "../src/permissionText";
import type { PermissionRequest } from "../src/protocol";

const request: PermissionRequest = { id: "1", runId: "r", tool: "mcp__files__delete", server: "files", arguments: {} };

it("PERM-6: every answer that there is, the denial first", () => {
  const c = choicesFor(request, 1);
  assert.deepEqual(c.deny.answer, { decision: "deny", scope: "once" });
  assert.deepEqual(c.allow.answer, { decision: "allow", scope: "once" });
  assert.deepEqual(c.alike, []);
  assert.deepEqual(
    c.more.map((m) => [m.id, m.answer.decision, m.answer.scope]),
    [
      ["run", "allow", "run"],
      ["session", "allow", "session"],
      ["workspace", "allow", "workspace"],
      ["user", "allow", "user"],
      ["stop", "deny", "once"],
    ],
  );
  assert.equal(c.more.at(-1)?.answer.stop, true);
});

it("VSC-3: one answer for all calls alike covers those that wait, and no later ones", () => {
  assert.deepEqual(
    choicesFor(request, 4).alike.map((c) => [c.label, c.answer]),
    [
      ["Deny all 4", { decision: "deny", scope: "run" }],
      ["Allow all 4", { decision: "allow", scope: "loop", calls: 4 }],
    ],
  );
});

it("PERM-12: what can be granted for a loop, without tricks", () => {
  const { more } = choicesFor(
    {
      ...request,
      loop: {
        asked: 2,
        suggestions: [
          { field: "path", match: "prefix", value: "/src/" },
          { field: "a\nb\u202e", match: "exact", value: "x" },
        ],
      },
    },
    1,
  );
  const labels = more.map((c) => c.label);
  assert.ok(labels.includes("Allow 10 calls in this run"));
  assert.ok(labels.includes('Allow in this run while path starts with "/src/"'));
  assert.ok(labels.includes('Allow in this run while a b\\u202e is "x"'));
  assert.deepEqual(more.find((c) => c.id === "while-0")?.answer, { decision: "allow", scope: "loop", while: { field: "path", match: "prefix", value: "/src/" } });
});

it("PERM-9: only booleans count as a server's claims", () => {
  assert.deepEqual(describeAnnotations({ readOnlyHint: true, idempotentHint: true }), ["read-only", "idempotent"]);
  assert.deepEqual(describeAnnotations({ readOnlyHint: "yes", destructiveHint: 1 }), []);
  for (const odd of [null, undefined, "x", 3, []]) {
    assert.deepEqual(describeAnnotations(odd), []);
  }
});

it("a tool's own name", () => {
  assert.equal(ownName("mcp__git__hub__push"), "hub__push");
  assert.equal(ownName("x\u202ey"), "x\\u202ey");
});
