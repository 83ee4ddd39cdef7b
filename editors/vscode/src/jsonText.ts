// JSON as a person judges it: the very text that is sent, indented, with nothing
// rounded, sorted or left out, and long parts folded with their length (PERM-15).
// Pure.

import { fold, html, type Markup, type Part } from "./html";
import { count, visible } from "./text";

/** A string longer than this is folded: its head and its tail remain in view. */
const maxString = 400;
const headOfString = 240;
const tailOfString = 100;
/** A text of more lines than this is folded in the middle. */
const maxLines = 40;
const headOfLines = 26;
const tailOfLines = 8;

/**
 * The tokens of a JSON text, as they are written. What is no JSON comes out as
 * one token, so that it is shown all the same.
 */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"[^]*$/gs;

interface Line {
  indent: number;
  parts: Part[];
}

/** Lays a JSON text out over lines, every token as it is in the text. */
function layOut(text: string, render: (token: string, isKey: boolean) => Part): Line[] {
  const lines: Line[] = [{ indent: 0, parts: [] }];
  let depth = 0;
  const tokens = text.match(token) ?? [];
  const push = (part: Part): void => {
    lines.at(-1)?.parts.push(part);
  };
  const newLine = (): void => {
    lines.push({ indent: depth, parts: [] });
  };
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i] ?? "";
    const next = tokens[i + 1];
    if (t === "{" || t === "[") {
      const close = t === "{" ? "}" : "]";
      if (next === close) {
        push(t + close);
        i++;
        continue;
      }
      push(t);
      depth++;
      newLine();
    } else if (t === "}" || t === "]") {
      depth = Math.max(0, depth - 1);
      newLine();
      push(t);
    } else if (t === ",") {
      push(t);
      newLine();
    } else if (t === ":") {
      push(": ");
    } else {
      push(render(t, next === ":"));
    }
  }
  return lines;
}

/** The indented text without any folding, for editors and the clipboard. */
export function indentedJson(text: string): string {
  return layOut(text, (t) => visible(t))
    .map((l) => "  ".repeat(l.indent) + l.parts.join(""))
    .join("\n");
}

/** The indented text as markup; long strings and long texts are folded. */
export function jsonMarkup(text: string): Markup {
  const lines = layOut(text, (t, isKey) => scalar(t, isKey)).map((l) => html`${"  ".repeat(l.indent)}${l.parts}`);
  const joined = (some: readonly Markup[]): Part[] => some.flatMap((l, i) => (i === 0 ? [l] : ["\n", l]));
  if (lines.length <= maxLines) {
    return html`${joined(lines)}`;
  }
  const middle = lines.slice(headOfLines, -tailOfLines);
  return html`${joined(lines.slice(0, headOfLines))}
${fold(count(middle.length, "more line"), html`${joined(middle)}`)}
${joined(lines.slice(-tailOfLines))}`;
}

function scalar(t: string, isKey: boolean): Markup {
  if (!t.startsWith('"')) {
    return html`<span class="${/^-?\d/.test(t) ? "t-number" : "t-type"}">${visible(t)}</span>`;
  }
  const kind = isKey ? "key" : "t-string";
  if (t.length <= maxString) {
    return html`<span class="${kind}">${visible(t)}</span>`;
  }
  const hidden = t.slice(headOfString, -tailOfString);
  return html`<span class="${kind}">${visible(t.slice(0, headOfString))}</span>${fold(
    count(hidden.length, "more character"),
    html`<span class="${kind}">${visible(hidden)}</span>`,
  )}<span class="${kind}">${visible(t.slice(-tailOfString))}</span>`;
}

/** A JSON text on one line of at most max characters, for a row. */
export function jsonPreview(text: string, max = 120): string {
  const flat = visible((text.match(token) ?? []).join("").replace(/^\{|\}$/g, ""));
  const chars = Array.from(flat);
  return chars.length <= max ? flat : chars.slice(0, max - 1).join("") + "…";
}
