// What the permission prompt says. Pure: tested without an editor.

import type { Annotations, Condition, LoopOffer, PermissionAnswer, PermissionRequest } from "./protocol";
import { baseName, count, line, visible } from "./text";

/** A prompt that can be shown; cut says that the arguments are longer than detail shows. */
export interface Prompt {
  message: string;
  detail: string;
  cut: boolean;
}

const maxLines = 24;
const maxWidth = 160;
const maxString = 600;

/** The prompt for one call (PERM-6): tool, server, its marks, arguments, place. */
export function permissionPrompt(r: PermissionRequest): Prompt {
  const args = readableArguments(r.arguments ?? {});
  const facts = [`Tool: ${line(r.tool)}${r.title ? ` (“${line(r.title, 80)}”)` : ""}`, `Server: ${line(r.server)}`];
  const marks = describeAnnotations(r.annotations);
  if (marks.length > 0) {
    facts.push(`Its server says: ${marks.join(", ")}`);
  }
  if (r.description?.trim()) {
    facts.push(`Description: ${line(r.description, 200)}`);
  }
  if (r.note?.trim()) {
    facts.push(`A hook says: ${line(r.note, 300)}`);
  }
  if (r.uri !== undefined) {
    facts.push(`Called at: ${line(baseName(r.uri))}${r.range ? `, line ${r.range.start.line + 1}` : ""}`);
  }
  const parts = [facts.join("\n"), args.text === "{}" ? "Without arguments." : `Arguments:\n${args.text}`];
  if (args.cut) {
    parts.push("The arguments are longer than this. “Review…” shows all of them.");
  }
  if (r.waiting !== undefined && r.waiting > 0) {
    parts.push(`${count(r.waiting, "more call")} ${r.waiting === 1 ? "waits" : "wait"} for an answer.`);
  }
  return { message: `Allow the script to call ${shortName(r.tool, r.server)}?`, detail: parts.join("\n\n"), cut: args.cut };
}

/** What can be granted when a script calls a tool again and again (PERM-12). */
export function loopChoices(loop: LoopOffer): { label: string; answer: PermissionAnswer }[] {
  const list: { label: string; answer: PermissionAnswer }[] = [10, 100].map((calls) => ({
    label: `${calls} calls in this run, this one included`,
    answer: { decision: "allow", scope: "loop", calls },
  }));
  for (const condition of loop.suggestions.slice(0, 5)) {
    list.push({
      label: `Calls in this run while ${conditionText(condition)}`,
      answer: { decision: "allow", scope: "loop", while: condition },
    });
  }
  return list;
}

function conditionText(c: Condition): string {
  const words = { exact: "is", prefix: "starts with", glob: "matches" };
  return `${line(c.field, 60)} ${words[c.match]} ${line(JSON.stringify(c.value), 200)}`;
}

/** mcp__github__create_issue as "create_issue" of "github", for a headline. */
export function shortName(tool: string, server: string): string {
  const match = /^mcp__.+?__(.+)$/s.exec(tool);
  return match ? `${line(match[1] ?? tool, 80)} on ${line(server, 60)}` : line(tool, 120);
}

/** What a server claims of its tool, in words. Only booleans count as claims. */
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
    words.push("reaches the outside world");
  }
  return words;
}

/** All of the arguments as indented JSON, deceiving characters written out. */
export function wholeArguments(value: unknown): string {
  return visible(JSON.stringify(value ?? {}, undefined, 2));
}

function readableArguments(value: unknown): { text: string; cut: boolean } {
  let cut = false;
  const short = JSON.stringify(
    value,
    (_key, v: unknown) => {
      if (typeof v !== "string" || v.length <= maxString) {
        return v;
      }
      cut = true;
      return `${v.slice(0, maxString)}… (${count(v.length - maxString, "more character")})`;
    },
    2,
  );
  let lines = visible(short).split("\n");
  if (lines.length > maxLines) {
    cut = true;
    lines = [...lines.slice(0, maxLines), `… (${count(lines.length - maxLines, "more line")})`];
  }
  lines = lines.map((l) => {
    if (l.length <= maxWidth * 5) {
      return l;
    }
    cut = true;
    return l.slice(0, maxWidth * 5) + "…";
  });
  return { text: lines.join("\n"), cut };
}
