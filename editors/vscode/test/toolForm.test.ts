import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsOf, fieldsOf, toolForm } from "../src/toolForm";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", description: "where <it> is" },
    size: { type: "integer" },
    mode: { enum: ["fast", 2, null] },
    deep: { type: "boolean" },
    filter: { type: "object" },
  },
  required: ["path", "mode"],
};

test("VSC-5: a form is made of the schema, escaped", () => {
  assert.deepEqual(fieldsOf(schema).map((f) => [f.name, f.kind, f.required]), [
    ["path", "text", true],
    ["size", "number", false],
    ["mode", "choice", true],
    ["deep", "boolean", false],
    ["filter", "json", false],
  ]);
  assert.match(toolForm("mcp__s__<t>", schema).text, /where &lt;it&gt; is/);
  assert.doesNotMatch(toolForm("mcp__s__<t>", schema).text, /<t>/);
  for (const odd of [undefined, null, true, [], { properties: [] }, { properties: { x: 1 }, required: "x" }]) {
    assert.doesNotThrow(() => toolForm("t", odd));
  }
});

test("VSC-5: what was filled in becomes the arguments", () => {
  assert.deepEqual(argumentsOf(schema, ["", "3", "1", "false", '{"a":[1]}']), { path: "", size: 3, mode: 2, deep: false, filter: { a: [1] } });
  assert.deepEqual(argumentsOf(schema, ["x", "", "0", "", ""]), { path: "x", mode: "fast" });
  assert.throws(() => argumentsOf(schema, ["x", "", "", "", ""]), /mode is required/);
  assert.throws(() => argumentsOf(schema, ["x", "", "0", "", "{"]), /filter is not valid JSON/);
});
