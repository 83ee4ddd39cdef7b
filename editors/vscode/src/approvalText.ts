// What the question about a workspace's server says (TRUST-1). Pure.

import type { Approval, Server } from "./protocol";
import { line, visible } from "./text";

/** A workspace's server that nobody has decided on: neither approved nor refused. */
export function undecided(s: Server): s is Server & { approval: Approval } {
  return s.approval !== undefined && !s.approval.refused;
}

/** Everything that an approval is about: what would be started, and with what. */
export function approvalPrompt(s: Server, a: Approval): { message: string; detail: string } {
  const facts: string[] = a.refused ? ["You have refused it before."] : [];
  if (a.url) {
    facts.push(`Address: ${line(a.url, 400)}`);
  }
  if (a.command) {
    facts.push(`Command: ${line(a.command, 400)}`);
    facts.push(a.args?.length ? `Arguments:\n${a.args.map((arg) => "    " + argument(arg)).join("\n")}` : "Arguments: none");
  }
  if (a.cwd) {
    facts.push(`Folder: ${line(a.cwd, 400)}`);
  }
  if (a.env?.length) {
    facts.push(`Environment variables: ${a.env.map((name) => line(name, 80)).join(", ")}`);
  }
  if (a.headers?.length) {
    facts.push(`Headers: ${a.headers.map((name) => line(name, 80)).join(", ")}`);
  }
  if (s.file) {
    facts.push(`Named in: ${line(s.file, 400)}`);
  }
  const what = `the MCP server “${line(s.name, 80)}” that this workspace names?`;
  return {
    message: a.url ? `Connect to ${what}` : `Start ${what}`,
    detail: [facts.join("\n"), `${a.url ? "" : "It runs with your rights. "}Any change of its definition asks again.`].join("\n\n"),
  };
}

/** One argument on a line of its own, quoted when its bounds would not be clear. */
function argument(a: string): string {
  return /^[\w@%+=:,./~-]+$/.test(a) ? a : visible(JSON.stringify(a));
}
