// A form for the arguments of a tool, made of its schema, and the arguments that a
// filled-in form is. Pure.

import { html, type Markup } from "./html";
import { line } from "./text";

export type FieldKind = "text" | "number" | "boolean" | "choice" | "json";

interface Schema {
  type?: unknown;
  enum?: unknown;
  description?: unknown;
  properties?: unknown;
  required?: unknown;
  default?: unknown;
}

export interface Field {
  name: string;
  kind: FieldKind;
  required: boolean;
  description: string;
  choices: unknown[];
}

function isObject(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

/** The top-level fields of a schema; what is not simple is written as JSON. */
export function fieldsOf(schema: unknown): Field[] {
  const s: Schema = isObject(schema) ? schema : {};
  if (!isObject(s.properties)) {
    return [];
  }
  const required = Array.isArray(s.required) ? s.required : [];
  return Object.entries(s.properties).map(([name, value]) => {
    const p: Schema = isObject(value) ? value : {};
    const choices = Array.isArray(p.enum) ? p.enum.filter((v) => typeof v !== "object" || v === null) : [];
    const kinds: Record<string, FieldKind> = { string: "text", number: "number", integer: "number", boolean: "boolean" };
    return {
      name,
      kind: choices.length > 0 ? "choice" : typeof p.type === "string" ? (kinds[p.type] ?? "json") : "json",
      required: required.includes(name),
      description: typeof p.description === "string" ? p.description : "",
      choices,
    };
  });
}

/** The form; the page sends its fields by their place. */
export function toolForm(name: string, schema: unknown): Markup {
  const fields = fieldsOf(schema);
  return html`<details class="try" data-key="try ${name}"><summary>Try it</summary><form data-try="${name}">${fields.map(
    (f, i) => html`<label><span>${line(f.name, 80)}${f.required && html`<span class="error" title="required"> *</span>`}</span>${input(f, i)}${f.description !== "" && html`<span class="dim">${line(f.description, 160)}</span>`}</label>`,
  )}${fields.length === 0 && html`<p class="dim">The tool takes no arguments.</p>`}<p class="actions"><button type="submit">Call ${line(name, 80)}</button></p></form></details>`;
}

function input(f: Field, i: number): Markup {
  switch (f.kind) {
    case "choice":
      return html`<select data-field="${i}">${!f.required && html`<option value=""></option>`}${f.choices.map((c, n) => html`<option value="${n}">${line(String(c), 80)}</option>`)}</select>`;
    case "boolean":
      return html`<select data-field="${i}"><option value=""></option><option value="true">true</option><option value="false">false</option></select>`;
    case "number":
      return html`<input data-field="${i}" type="number" step="any">`;
    case "text":
      return html`<textarea data-field="${i}" rows="1"></textarea>`;
    case "json":
      return html`<textarea data-field="${i}" rows="2" placeholder="JSON"></textarea>`;
  }
}

/** The arguments of a filled-in form; throws with the field's name when one cannot be read. */
export function argumentsOf(schema: unknown, values: readonly string[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  fieldsOf(schema).forEach((f, i) => {
    const text = values[i] ?? "";
    if (text === "" && !(f.kind === "text" && f.required)) {
      if (f.required) {
        throw new Error(`${f.name} is required.`);
      }
      return;
    }
    switch (f.kind) {
      case "choice":
        out[f.name] = f.choices[Number(text)];
        break;
      case "boolean":
        out[f.name] = text === "true";
        break;
      case "number":
        out[f.name] = Number(text);
        break;
      case "text":
        out[f.name] = text;
        break;
      case "json":
        try {
          out[f.name] = JSON.parse(text);
        } catch {
          throw new Error(`${f.name} is not valid JSON.`);
        }
        break;
    }
  });
  return out;
}
