import assert from "node:assert/strict";
import { test } from "node:test";
import { csv, flatten, isTable, searchValue, tableColumns } from "../src/valueModel";

test("VSC-2: what is a table", () => {
  assert.equal(isTable([{ a: 1 }, { b: 2 }]), true);
  for (const other of [[], [1], [{ a: 1 }, null], [[1]], { a: 1 }, "x", null]) {
    assert.equal(isTable(other), false);
  }
  assert.deepEqual(tableColumns([{ a: 1, b: 2 }, { c: 3, a: 1 }]), ["a", "b", "c"]);
});

test("VSC-2: CSV is quoted, and no cell becomes a formula", () => {
  assert.equal(csv([{ a: 'say "hi"', b: 1 }, { b: -2, c: "=1+1\n" }, { c: { d: [1] } }]), 'a,b,c\r\n"say ""hi""",1,\r\n,-2,"\'=1+1\n"\r\n,,"{""d"":[1]}"\r\n');
});

test("a preview reads no more of a value than it shows", () => {
  assert.equal(flatten({ id: 1, name: "x", list: [1, { a: null }] }), '{id: 1, name: "x", list: [1, {a: null}]}');
  const long = flatten(Array.from({ length: 1_000_000 }, (_, i) => i), 70);
  assert.equal(long.length, 70);
  assert.match(long, /…$/);
});

test("VSC-2: a value can be searched", () => {
  const hits = searchValue({ items: [{ name: "Alpha" }, { name: "beta", "odd key": "alphabet" }] }, "ALPHA", 10);
  assert.deepEqual(
    hits.map((h) => [h.path, h.value]),
    [
      ["items[0].name", "Alpha"],
      ['items[1]["odd key"]', "alphabet"],
    ],
  );
  assert.equal(searchValue(Array.from({ length: 1000 }, () => "x"), "x", 5).length, 5);
});
