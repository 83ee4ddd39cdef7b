import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptTemplate, serverFromCommand } from "../src/newcomerText";
import { ServerLogs } from "../src/serverLogs";

test("VSC-10: a command line becomes a server", () => {
  assert.deepEqual(serverFromCommand("npx -y @scope/server ."), { command: "npx", args: ["-y", "@scope/server", "."] });
  assert.deepEqual(serverFromCommand(` "/my programs/server" --name 'a b' "say \\"hi\\"" `), { command: "/my programs/server", args: ["--name", "a b", 'say "hi"'] });
});

test("VSC-10: a new script runs as it is", () => {
  assert.match(scriptTemplate(undefined), /return "Hello/);
  assert.match(scriptTemplate("mcp__a-b__c"), /tools\["mcp__a-b__c"\]/);
  assert.match(scriptTemplate("mcp__demo__add"), /await tools\.mcp__demo__add/);
});

test("VSC-5: a server's log is kept over its crashes, each line once", () => {
  const logs = new ServerLogs();
  const status = (stderr: string, error?: string): void => {
    logs.update({ name: "s", status: error === undefined ? "connected" : "failed", tools: 0, stderr, ...(error === undefined ? {} : { error }) });
  };
  status("one\ntwo\n");
  status("one\ntwo\n");
  status("two\nthree\n");
  status("two\nthree\n", "exit status 3");
  status("");
  status("four\n");
  assert.equal(logs.text("s"), "one\ntwo\nthree\n── failed: exit status 3\nfour\n");
  assert.equal(logs.text("other"), "");
});
