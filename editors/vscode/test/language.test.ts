import assert from "node:assert/strict";
import { test } from "node:test";
import configuration from "../language-configuration.json";

const { increaseIndentPattern, indentNextLinePattern } = configuration.indentationRules;
const matches = (pattern: string, line: string): boolean => new RegExp(pattern).test(line);

test("indentation as in TypeScript", () => {
  for (const line of ["if (a) {", "const x = [", "  f({", "call(a,", "} else {", "items.map((x) => {"]) {
    assert.ok(matches(increaseIndentPattern, line), line);
  }
  for (const line of ["f();", "const s = '{';", "// if (a) {", " * {", "const x = {};"]) {
    assert.ok(!matches(increaseIndentPattern, line), line);
  }
  for (const line of ["if (a)", "  else if (b)", "} else", "for (const x of y)"]) {
    assert.ok(matches(indentNextLinePattern, line), line);
  }
  assert.ok(!matches(indentNextLinePattern, "if (a) return;"));
});

test("comments go on as in TypeScript", () => {
  const after = (beforeText: string, previousLineText = ""): string | undefined =>
    configuration.onEnterRules.find((r) => matches(r.beforeText, beforeText) && !("afterText" in r) && (!("previousLineText" in r) || matches(r.previousLineText ?? "", previousLineText)))?.action.appendText;
  assert.equal(after("/** x"), " * ");
  assert.equal(after("  /** x"), " * ");
  assert.equal(after(" * more", "/** x"), "* ");
  assert.equal(after("const a = 1;"), undefined);
  assert.equal(after("/** done */"), undefined);
});
