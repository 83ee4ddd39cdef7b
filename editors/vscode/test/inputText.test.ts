import assert from "node:assert/strict";
import { test } from "node:test";
import { needsInput, offers, skeleton, wrong } from "../src/inputText";
import type { ScriptSchema } from "../src/protocol";

const schema: ScriptSchema = {
  takesInput: true,
  fields: [
    { path: "repo", type: "string", required: true },
    { path: "page", type: "object", required: true },
    { path: "page.size", type: "number", required: true },
    { path: "labels", type: "(string | number)[]", required: true },
    { path: "state", type: '"open" | "closed"', required: true },
    { path: "limit", type: "number", required: false },
  ],
  examples: [
    { name: "nightly", input: { repo: "octo/hello" } },
    { name: "", input: { repo: "a/b" } },
  ],
  problems: [],
  misfits: [{ path: "repo", message: "missing; expected a string" }, { path: "", message: "too long" }],
};

test("EXEC-18: the person is asked for the input of a script that needs one; others run at once", () => {
  assert.equal(needsInput(schema), true);
  assert.equal(needsInput({ ...schema, misfits: [] }), false);
  assert.equal(needsInput({ ...schema, takesInput: false }), false);
  assert.equal(needsInput({ ...schema, problems: [{ message: "JSON has no dates." }] }), false);
});

test("EXEC-18: the box begins with last time's input, an example, or the required fields", () => {
  assert.deepEqual(offers(schema, '{"repo":"x"}').map((o) => [o.label, o.text]), [
    ["Last input", '{"repo":"x"}'],
    ["nightly", '{"repo":"octo/hello"}'],
    ["Example 2", '{"repo":"a/b"}'],
  ]);
  assert.deepEqual(offers({ ...schema, examples: [] }, undefined).map((o) => o.text), [skeleton(schema)]);
  assert.equal(skeleton(schema), '{"repo":"","page":{},"labels":[],"state":"open"}');
});

test("EXEC-18: every wrong field is named", () => {
  assert.equal(wrong(schema), "repo: missing; expected a string · too long");
  assert.equal(wrong({ ...schema, misfits: [] }), undefined);
});
