// A JSON value as a tree that opens and closes.

import { html, type Markup } from "./html";
import { count, visible } from "./text";

/** Nodes shown of one value; the rest is counted. */
const maxNodes = 2000;
const maxString = 20_000;

/** The value as nested lists; objects and arrays open to depth 2. */
export function valueTree(value: unknown): Markup {
  const budget = { left: maxNodes };
  return html`<div class="tree">${node(undefined, value, 0, budget)}${
    budget.left < 0 && html`<p class="note">Only the first ${maxNodes.toLocaleString("en-US")} entries are shown.</p>`
  }</div>`;
}

function node(key: string | undefined, value: unknown, depth: number, budget: { left: number }): Markup | undefined {
  if (--budget.left < 0) {
    return undefined;
  }
  const label = key !== undefined && html`<span class="key">${visible(key)}</span><span class="dim">: </span>`;
  if (value === null || typeof value !== "object") {
    return html`<div class="leaf">${label}${scalar(value)}</div>`;
  }
  const entries: [string, unknown][] = Array.isArray(value) ? value.map((v, i) => [String(i), v]) : Object.entries(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return html`<div class="leaf">${label}<span class="dim">${open}${close}</span></div>`;
  }
  const noun = Array.isArray(value) ? "item" : "field";
  return html`<details ${depth < 2 && html`open`}><summary>${label}<span class="dim">${open}${count(entries.length, noun)}${close}</span></summary>${entries.map(
    ([k, v]) => node(k, v, depth + 1, budget),
  )}</details>`;
}

function scalar(value: unknown): Markup {
  if (typeof value === "string") {
    const text = value.length > maxString ? value.slice(0, maxString) : value;
    const rest = value.length - text.length;
    return html`<span class="t-string">${visible(JSON.stringify(text))}</span>${
      rest > 0 && html` <span class="dim">${count(rest, "more character")}</span>`
    }`;
  }
  const kind = typeof value === "number" ? "number" : "type";
  return html`<span class="t-${kind}">${String(value)}</span>`;
}
