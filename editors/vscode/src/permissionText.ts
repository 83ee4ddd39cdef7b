// What a person is told of a call, and what can be answered. Pure.

import type { Annotations, Condition, PermissionAnswer, PermissionRequest } from "./protocol";
import { count, line } from "./text";

/** An answer and its button. The id is what the page sends back. */
export interface Choice {
  id: string;
  label: string;
  answer: PermissionAnswer;
}

/** The answers of a call: those on its card, and those behind "More" (PERM-6). */
export interface Choices {
  deny: Choice;
  allow: Choice;
  /** For all calls of this tool that wait in this run; absent when there is only one. */
  alike: Choice[];
  more: Choice[];
}

/** @param alike how many calls of this tool wait in this run, this one included */
export function choicesFor(request: PermissionRequest, alike: number): Choices {
  const allow = (id: string, label: string, scope: PermissionAnswer["scope"]): Choice => ({ id, label, answer: { decision: "allow", scope } });
  return {
    deny: { id: "deny", label: "Deny", answer: { decision: "deny", scope: "once" } },
    allow: allow("once", "Allow once", "once"),
    alike:
      alike > 1
        ? [
            { id: "deny-alike", label: `Deny all ${alike}`, answer: { decision: "deny", scope: "run" } },
            { id: "allow-alike", label: `Allow all ${alike}`, answer: { decision: "allow", scope: "loop", calls: alike } },
          ]
        : [],
    more: [
      allow("run", "Allow for this run", "run"),
      allow("session", "Allow for this session", "session"),
      allow("workspace", "Always allow in this workspace", "workspace"),
      allow("user", "Always allow everywhere", "user"),
      ...loopChoices(request),
      { id: "stop", label: "Deny and stop the run", answer: { decision: "deny", scope: "once", stop: true } },
    ],
  };
}

/** What can be granted when a script calls a tool again and again (PERM-12). */
function loopChoices(request: PermissionRequest): Choice[] {
  if (!request.loop) {
    return [];
  }
  const list = [10, 100].map(
    (calls): Choice => ({ id: `calls-${calls}`, label: `Allow ${calls} calls in this run`, answer: { decision: "allow", scope: "loop", calls } }),
  );
  request.loop.suggestions.slice(0, 5).forEach((condition, i) => {
    list.push({
      id: `while-${i}`,
      label: `Allow in this run while ${conditionText(condition)}`,
      answer: { decision: "allow", scope: "loop", while: condition },
    });
  });
  return list;
}

function conditionText(c: Condition): string {
  const words = { exact: "is", prefix: "starts with", glob: "matches" };
  return `${line(c.field, 60)} ${words[c.match]} ${line(JSON.stringify(c.value), 200)}`;
}

/** The tool's own name, without its server's part. */
export function ownName(tool: string): string {
  return line(/^mcp__.+?__(.+)$/s.exec(tool)?.[1] ?? tool, 120);
}

/** What a server claims of its tool, in words. Only booleans count as claims (PERM-9). */
export function describeAnnotations(claims: unknown): string[] {
  if (typeof claims !== "object" || claims === null) {
    return [];
  }
  const a = claims as Annotations;
  const words: string[] = [];
  if (a.readOnlyHint === true) {
    words.push("read-only");
  }
  if (a.destructiveHint === true) {
    words.push("destructive");
  } else if (a.destructiveHint === false && a.readOnlyHint !== true) {
    words.push("not destructive");
  }
  if (a.idempotentHint === true) {
    words.push("idempotent");
  }
  if (a.openWorldHint === true) {
    words.push("open world");
  }
  return words;
}

/** "1 call waits", "3 calls wait". */
export function waitingWords(n: number): string {
  return `${count(n, "request")} ${n === 1 ? "waits" : "wait"} for your answer`;
}
