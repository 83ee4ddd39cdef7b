// What an entry of the audit log says. Pure.

import type { AuditEntry } from "./protocol";
import { line } from "./text";

const decisions: Record<string, string> = { allow: "allowed", deny: "denied", cancelled: "not decided" };

const scopes: Record<string, string> = { once: "once", run: "for the run", session: "for the session", workspace: "in this workspace", user: "always", loop: "for calls alike" };

/** Such as "allowed by you, once". */
export function decidedBy(e: AuditEntry): string {
  const decision = decisions[e.decision] ?? line(e.decision, 20);
  switch (e.by) {
    case "rule":
      return `${decision} by the rule ${line(e.rule ?? "", 120)} (${line(e.layer ?? "", 20)})`;
    case "answer":
      return `${decision} by you${e.scope === undefined ? "" : `, ${scopes[e.scope] ?? line(e.scope, 20)}`}`;
    case "grant":
      return `${decision} by your answer to an earlier call`;
    case "hook":
      return `${decision} by a hook`;
    case "readOnly":
      return `${decision}: the setting trusts this server’s read-only tools`;
    case "nobody":
      return `${decision}: there was nobody to ask`;
    case "end":
      return `${decision}: the run ended first`;
    case "stop":
      return `${decision}: you stopped the run`;
    default:
      return `${decision} by ${line(e.by, 40)}`;
  }
}
