// The form of a question that an MCP server asks during a call (MCP-6): one field after the other, what is filled in as it is,
// each answer checked before the next. Opened only after the person has pressed the button for it.

import * as vscode from "vscode";
import type { Field, InputAnswer, InputQuestion } from "./protocol";

/** Asks for every field. Escape cancels all of it. */
export async function askForm(question: InputQuestion): Promise<InputAnswer> {
  const content: Record<string, unknown> = {};
  const fields = question.fields ?? [];
  for (const [i, field] of fields.entries()) {
    const title = `${question.server ?? ""} asks (${i + 1} of ${fields.length})`;
    const value = await ask(field, title);
    if (value === undefined) {
      return { action: "cancel" };
    }
    if (value !== skipped) {
      content[field.name] = value;
    }
  }
  return { action: "accept", content };
}

const skipped = Symbol("left out");

async function ask(field: Field, title: string): Promise<unknown> {
  const name = field.title ?? field.name;
  const prompt = field.description === undefined ? name : `${name}: ${field.description}`;
  const options = { title, placeHolder: prompt, ignoreFocusOut: true };
  const choices: { label: string; value: unknown; picked?: boolean }[] =
    field.type === "boolean"
      ? [
          { label: "Yes", value: true },
          { label: "No", value: false },
        ]
      : (field.choices ?? []).map((c) => ({ label: c.title ?? c.value, value: c.value }));
  if (field.type === "array") {
    const filled = Array.isArray(field.default) ? (field.default as unknown[]) : [];
    const picked = await vscode.window.showQuickPick(
      choices.map((c) => ({ ...c, picked: filled.includes(c.value) })),
      { ...options, canPickMany: true },
    );
    return picked?.map((p) => p.value);
  }
  if (choices.length > 0) {
    // What is filled in comes first, so that Enter takes it.
    choices.sort((a, b) => Number(b.value === field.default) - Number(a.value === field.default));
    if (field.required !== true) {
      choices.push({ label: "(leave it out)", value: skipped });
    }
    return (await vscode.window.showQuickPick(choices, options))?.value;
  }
  const text = await vscode.window.showInputBox({
    title,
    prompt: `${prompt}${field.format === undefined ? "" : ` (${field.format})`}`,
    ignoreFocusOut: true,
    ...(typeof field.default === "string" || typeof field.default === "number" ? { value: `${field.default}` } : {}),
    validateInput: (typed) => problem(field, typed),
  });
  return text === undefined ? undefined : valueOf(field, text);
}

function valueOf(field: Field, text: string): unknown {
  if (text === "" && field.required !== true) {
    return skipped;
  }
  return field.type === "string" ? text : Number(text);
}

/** What is wrong with a text, before the server program checks it again. */
export function problem(field: Field, text: string): string | undefined {
  if (text === "" && field.required !== true) {
    return undefined;
  }
  const number = Number(text);
  const size = field.type === "string" ? Array.from(text).length : number;
  if (field.type !== "string" && (text.trim() === "" || Number.isNaN(number))) {
    return "A number is required.";
  }
  if (field.type === "integer" && !Number.isInteger(number)) {
    return "A whole number is required.";
  }
  const unit = field.type === "string" ? " characters" : "";
  if (field.minimum !== undefined && size < field.minimum) {
    return `At least ${field.minimum}${unit}.`;
  }
  if (field.maximum !== undefined && size > field.maximum) {
    return `At most ${field.maximum}${unit}.`;
  }
  return undefined;
}
