// What a person is offered as the input of a script. Pure.

import type { ScriptSchema } from "./protocol";

export interface Offer {
  label: string;
  description: string;
  /** What the box begins with. */
  text: string;
}

/** Whether a script cannot run before a person has said what it gets. */
export function needsInput(schema: ScriptSchema): boolean {
  return schema.takesInput && schema.problems.length === 0 && schema.misfits.length > 0;
}

/** What the box may begin with: the input of last time, the examples, and an empty one. */
export function offers(schema: ScriptSchema, last: string | undefined): Offer[] {
  const list: Offer[] = last === undefined ? [] : [{ label: "Last input", description: last, text: last }];
  schema.examples.forEach((e, i) => {
    const text = JSON.stringify(e.input);
    list.push({ label: e.name === "" ? `Example ${String(i + 1)}` : e.name, description: text, text });
  });
  if (list.length === 0) {
    list.push({ label: "New input", description: "", text: skeleton(schema) });
  }
  return list;
}

/** The required fields with empty values, as a start. */
export function skeleton(schema: ScriptSchema): string {
  const input: Record<string, unknown> = {};
  for (const f of schema.fields) {
    if (f.required && !f.path.includes(".")) {
      input[f.path] = emptyOf(f.type);
    }
  }
  return JSON.stringify(input);
}

function emptyOf(type: string): unknown {
  const [first = ""] = type.split(" | ");
  try {
    return JSON.parse(first) as unknown; // a literal
  } catch {
    switch (true) {
      case type.endsWith("[]") || type.startsWith("["):
        return [];
      case first === "number":
        return 0;
      case first === "boolean":
        return false;
      case first === "object" || first.startsWith("{") || first.startsWith("Record<"):
        return {};
      default:
        return "";
    }
  }
}

/** What is wrong with an input, in one line; undefined when it fits. */
export function wrong(schema: ScriptSchema): string | undefined {
  return schema.misfits.length === 0 ? undefined : schema.misfits.map((m) => (m.path === "" ? m.message : `${m.path}: ${m.message}`)).join(" · ");
}
