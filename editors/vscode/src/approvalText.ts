// What a person is shown of a server that a workspace names (TRUST-1). Pure.

import { foldText, html, type Markup } from "./html";
import type { Approval, Server } from "./protocol";
import { line, visible } from "./text";

/** A workspace's server that nobody has decided on: neither approved nor refused. */
export function undecided(s: Server): s is Server & { approval: Approval } {
  return s.approval !== undefined && !s.approval.refused;
}

/** One thing that an approval is about, whole: nothing of it is cut (PERM-15). */
export interface Fact {
  label: string;
  text: string;
}

/** Everything that an approval is about: what would be started, and with what. */
export function approvalFacts(s: Server, a: Approval): Fact[] {
  const facts: Fact[] = [];
  const add = (label: string, text: string | undefined): void => {
    if (text) {
      facts.push({ label, text });
    }
  };
  add("Address", a.url && visible(a.url));
  add("Command", a.command && [a.command, ...(a.args ?? [])].map(argument).join("\n"));
  add("Folder", a.cwd && visible(a.cwd));
  add("Environment variables", a.env?.map(visible).join("\n"));
  add("Headers", a.headers?.map(visible).join("\n"));
  add("Sign-in", a.signIn && visible(a.signIn));
  add("Reads", a.reads?.map((read) => visible(`${read.name} → ${read.to}`)).join("\n"));
  add("Defined in", s.file && `${visible(s.file)}:${(s.line ?? 0) + 1}`);
  return facts;
}

export function approvalTitle(s: Server, a: Approval): string {
  return `${a.url ? "Connect to" : "Start"} the MCP server “${line(s.name, 80)}”?`;
}

/** The facts as markup; a long one is folded in its middle. */
export function approvalMarkup(s: Server, a: Approval): Markup {
  const note = a.url ? "This workspace asks for it." : "This workspace asks for it. It runs with your rights.";
  const beware = s.resembles && html`<p class="notice">Beware: ${foldText(visible(s.resembles))}. No permission of that one counts for it.</p>`;
  return html`${beware}<dl class="facts-list">${approvalFacts(s, a).map((f) => html`<dt>${f.label}</dt><dd><pre>${foldText(f.text)}</pre></dd>`)}</dl>
<p class="dim">${note} Any change of its definition asks again.${a.refused === true && " You have refused it before."}</p>`;
}

/** One argument, quoted when its bounds would not be clear. */
function argument(a: string): string {
  return /^[\w@%+=:,./~-]+$/.test(a) ? a : visible(JSON.stringify(a));
}
