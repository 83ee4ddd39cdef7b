import assert from "node:assert/strict";
import { test } from "node:test";
import { cassetteOf, outcome } from "../src/cassetteText";

test("VSC-9: a failed replay is shown as the two sides of its differences", () => {
  const diff = [
    "FAILED  n.exec.ts (91 ms)", "    value differs from the recorded run", "    value:", "    --- recorded", "    +++ now", "    @@ -2,3 +2,3 @@",
    '       "list": [', "    -    3,", "    +    9,", "         4,", "0 passed, 1 failed", "",
  ].join("\n");
  assert.deepEqual(outcome(1, diff), { passed: false, expected: '  "list": [\n    3,\n    4,', actual: '  "list": [\n    9,\n    4,' });
  assert.deepEqual(outcome(1, "FAILED  n.exec.ts\n    value: recorded 3, now 4\n"), { passed: false, expected: "value: 3", actual: "value: 4" });
  // Without differences there is only the output to show.
  assert.deepEqual(outcome(1, "FAILED  n.exec.ts: no such file\n"), { passed: false });
  assert.deepEqual(outcome(0, "ok      n.exec.ts (98 ms)\n"), { passed: true });
});

test("VSC-9: the cassette lies beside its script", () => {
  assert.equal(cassetteOf("/w/a.exec.ts"), "/w/a.cassette.json");
  assert.equal(cassetteOf("/w/a.exec.js"), "/w/a.cassette.json");
});
