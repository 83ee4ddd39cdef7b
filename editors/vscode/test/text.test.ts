import assert from "node:assert/strict";
import { test } from "node:test";
import { baseName, count, duration, line, size, visible } from "../src/text";

test("TRUST-2: characters that deceive are written out", () => {
  assert.equal(visible("a\u202eb\u0000c\u200bd\u2028e"), "a\\u202eb\\u0000c\\u200bd\\u2028e");
  assert.equal(visible("tab\tline\nüñ漢🙂"), "tab\tline\nüñ漢🙂");
  assert.equal(visible("\u001b[31mred"), "\\u001b[31mred");
});

test("a line has no line breaks and an end", () => {
  assert.equal(line("  a\r\n  b\tc "), "a b c");
  assert.equal(line("🙂".repeat(5), 3), "🙂🙂…");
});

test("numbers for people", () => {
  assert.equal(count(1, "tool"), "1 tool");
  assert.equal(count(1234, "tool"), "1,234 tools");
  assert.equal(duration(999), "999 ms");
  assert.equal(duration(1500), "1.5 s");
  assert.equal(duration(65_000), "1 min 5 s");
  assert.equal(size(1), "1 byte");
  assert.equal(size(2048), "2.0 KiB");
});

test("the last part of a URI", () => {
  assert.equal(baseName("file:///a/b%20c.exec.ts"), "b c.exec.ts");
  assert.equal(baseName("file:///a/%E0%A4.exec.ts"), "%E0%A4.exec.ts");
});
