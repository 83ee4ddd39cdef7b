// Colours for the catalog's text: TypeScript signatures with comments. It is a
// tokenizer, not a parser; whatever it does not know stays plain.

import { html, Markup, type Part } from "./html";

const token = new RegExp(
  [
    String.raw`(?<summary>(?<=^|\n)(?:PARTIAL:|- mcp__)[^\n]*)`,
    String.raw`(?<comment>\/\*[\s\S]*?(?:\*\/|$)|(?<=^|\n)\s*\/\/[^\n]*)`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`,
    String.raw`(?<number>(?<=[:|<,(]\s*)-?\d+(?:\.\d+)?\b)`,
    String.raw`(?<type>\b(?:string|number|boolean|null|unknown|undefined|never|any|object|true|false|Array|Record|Promise|Partial)\b)(?!\s*\??:)`,
    String.raw`(?<tool>\bmcp__\w+(?=\())`,
    String.raw`(?<name>(?<=(?:^|\n|[({;,])\s*)[A-Za-z_$][\w$]*(?=\??:\s))`,
  ].join("|"),
  "g",
);

/** The same text, character for character, with classes for colours. */
export function highlight(text: string): Markup {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const kind = Object.entries(match.groups as Record<string, string | undefined>).find(([, v]) => v !== undefined)?.[0] ?? "";
    parts.push(text.slice(end, match.index), html`<span class="t-${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return html`${parts}`;
}
