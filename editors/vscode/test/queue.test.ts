import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue } from "../src/queue";

test("PERM-8: one prompt at a time, in order, and a failure stops nobody", async () => {
  const queue = new Queue();
  const log: string[] = [];
  let release: () => void = () => undefined;
  const first = queue.add(async () => {
    log.push("first asked");
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    log.push("first answered");
    return 1;
  });
  const second = queue.add(() => {
    log.push("second asked");
    return Promise.reject(new Error("closed"));
  });
  const third = queue.add(() => Promise.resolve(3));
  await Promise.resolve();
  assert.deepEqual(log, ["first asked"]);
  release();
  assert.equal(await first, 1);
  await assert.rejects(second, /closed/);
  assert.equal(await third, 3);
  assert.deepEqual(log, ["first asked", "first answered", "second asked"]);
});
