// The catalog panel's content. Pure: an answer of codemode/catalog in, markup out.

import { highlight } from "./highlight";
import { foldText, html, type Markup } from "./html";
import { jsonMarkup } from "./jsonText";
import { describeAnnotations, ownName } from "./permissionText";
import type { Catalog, CatalogTool, ToolDescription } from "./protocol";
import { count, line, visible } from "./text";
import { toolForm } from "./toolForm";

/** What a person has set in the panel. */
export interface CatalogQuery {
  budgetTokens: number;
  /** "" is every server. */
  namespace: string;
}

/** The stops of the budget slider, in tokens. */
export const budgets = [0, 250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 64_000, 200_000];

/** The stop of the slider nearest to a budget. */
export function budgetStop(tokens: number): number {
  let best = 0;
  budgets.forEach((b, i) => {
    if (Math.abs(b - tokens) < Math.abs((budgets[best] ?? 0) - tokens)) {
      best = i;
    }
  });
  return best;
}

/** What the pool has gained, lost and changed; undefined when nothing differs. */
export function compare(before: readonly CatalogTool[], after: readonly CatalogTool[]): ToolChange[] | undefined {
  const declaration = (t: CatalogTool | undefined): string | undefined => t && (t.description === "" ? t.signature : `/** ${t.description} */\n${t.signature}`);
  const old = new Map(before.map((t) => [t.name, t]));
  const now = new Map(after.map((t) => [t.name, t]));
  const changes: ToolChange[] = [];
  for (const name of new Set([...now.keys(), ...old.keys()])) {
    const change = { name, before: declaration(old.get(name)), after: declaration(now.get(name)) };
    if (change.before !== change.after) {
      changes.push(change);
    }
  }
  return changes.length === 0 ? undefined : changes;
}

/** A tool as the page's list needs it. */
export interface ToolRow {
  name: string;
  /** Its own name, without the server's part. */
  own: string;
  server: string;
  tokens: number;
  permission: string;
  marks: string[];
  /** What a search looks at, in lower case. */
  words: string;
}

/** The rows of the list; descriptions are cut to what a search needs. */
export function toolRows(tools: readonly CatalogTool[]): ToolRow[] {
  return tools.map((t) => ({
    name: t.name,
    own: ownName(t.name),
    server: line(t.server, 60),
    tokens: t.tokens,
    permission: t.permission,
    marks: describeAnnotations(t.annotations),
    words: `${t.name} ${t.title ?? ""} ${t.description.slice(0, 400)}`.toLowerCase(),
  }));
}

/** The page: what a person sets is drawn once, so that a slider being dragged is never replaced. */
export function catalogPage(q: CatalogQuery): Markup {
  return html`<div class="controls">
<label>Budget <input type="range" id="budget" min="0" max="${budgets.length - 1}" step="1" value="${budgetStop(q.budgetTokens)}" data-values="${budgets.join(",")}" aria-valuetext="${tokens(q.budgetTokens)}"><output id="budget-value" for="budget">${tokens(q.budgetTokens)}</output></label>
<label>Server <select id="namespace"><option value="">All servers</option></select></label>
</div><main id="main"></main>
<section id="tools" hidden><div class="tools-bar"><h2>Tools</h2><span class="count" id="tool-count"></span><input type="search" class="search" id="search" placeholder="Search tools" aria-label="Search tools"></div>
<div id="tool-list" class="virtual" role="listbox" tabindex="0" aria-label="Tools"><div id="tool-rows"></div></div>
<div id="detail" aria-live="polite"></div></section>`;
}

const longText = 60_000;

/** Everything that changes with the pool, the budget and the server. */
export function catalogView(c: Catalog, changes: readonly ToolChange[] | undefined): Markup {
  const text = c.text.length > longText ? c.text.slice(0, longText) : c.text;
  return html`${c.total === 0 && html`<p class="empty">No MCP tools are available. Start a server in the view <em>MCP Servers</em>, or add one.</p>`}${summary(c)}${servers(c)}${changes && whatChanged(changes)}
<details class="section" data-key="text" open><summary><h2>Text that a model reads</h2><button class="second small" data-do="copyText">Copy</button></summary><pre id="catalog-text" data-whole>${highlight(text)}${
    c.text.length > longText && html`<span class="dim">… ${count(c.text.length - longText, "more character")}: Copy has all of it</span>`
  }</pre></details>`;
}

/** The options of the server filter, for the page's script. */
export function namespaces(c: Catalog): { value: string; label: string }[] {
  return c.servers.map((s) => ({ value: s.namespace, label: `${line(s.name, 60)} (${count(s.tools, "tool")})` }));
}

/** One tool in full: declaration, what it claims, schemas. */
export function toolDetail(t: CatalogTool, shown: boolean, described: ToolDescription | undefined): Markup {
  return html`<section class="card" data-key="tool ${t.name}"><h2><code>${line(t.name, 240)}</code></h2>
<p class="facts"><span>${tokens(t.tokens)}</span><span>${shown ? "in the text" : "cut from the text"}</span><span class="badge p-${t.permission}">${t.permission === "allow" ? "allowed" : "asks"}</span>${describeAnnotations(t.annotations).map((a) => html`<span class="badge mark">${a}</span>`)}</p>
${t.title && html`<p><strong>${line(t.title)}</strong></p>`}<p class="description">${(t.description && foldText(visible(t.description))) || html`<span class="dim">No description.</span>`}</p>
<pre class="text">${highlight(described?.signature ?? t.signature)}</pre>
${described?.problems?.map((p) => html`<p class="error">${visible(p)}</p>`)}
<p class="actions"><button data-do="insert" data-tool="${t.name}">Insert call</button><button class="second" data-do="copySignature" data-tool="${t.name}">Copy declaration</button></p>
${described && toolForm(t.name, described.inputSchema)}${schema("Input schema", described?.inputSchema)}${schema("Output schema", described?.outputSchema)}</section>`;
}

function schema(title: string, value: unknown): Markup | undefined {
  return value === undefined ? undefined : html`<details data-key="${title}"><summary>${title}</summary><pre class="arguments">${jsonMarkup(JSON.stringify(value))}</pre></details>`;
}

function summary(c: Catalog): Markup {
  const share = c.flatTokens > 0 ? Math.min(100, (c.tokens / c.flatTokens) * 100) : 0;
  return html`<section class="summary">
<div class="figure"><strong>${c.shown.toLocaleString("en-US")}</strong> of ${count(c.total, "tool")} shown${c.partial && html` <span class="badge s-timeout">partial</span>`}</div>
<div class="figure"><strong>${tokens(c.tokens)}</strong> as this catalog</div>
<div class="figure"><strong>${tokens(c.flatTokens)}</strong> as flat declarations</div>
${c.flatTokens > 0 && html`<div class="meter" role="img" aria-label="${comparison(c)}"><span class="bar" data-left="0" data-width="${Math.max(1, Math.round(share))}"></span></div><div class="dim">${comparison(c)}</div>`}
</section>`;
}

/** The two costs in words; a percentage that rounds to all of it says nothing. */
export function comparison(c: { tokens: number; flatTokens: number }): string {
  if (c.tokens > c.flatTokens) {
    return `${Math.round((c.tokens / c.flatTokens - 1) * 100)} % more`;
  }
  const times = c.flatTokens / Math.max(1, c.tokens);
  return times >= 10 ? `${Math.round(times)} times smaller` : `${Math.round((1 - c.tokens / c.flatTokens) * 100)} % fewer`;
}

/** What each server costs, as bars on one scale. */
function servers(c: Catalog): Markup | undefined {
  if (c.servers.length < 2) {
    return undefined;
  }
  const most = Math.max(1, ...c.servers.map((s) => s.tokens));
  const list = [...c.servers].sort((a, b) => b.tokens - a.tokens).slice(0, 30);
  return html`<details class="section" data-key="servers" open><summary><h2>Cost by server</h2><span class="count">${c.servers.length}</span></summary><div class="costs">${list.map(
    (s) => html`<span class="cost-name" title="${line(s.name, 200)}">${line(s.name, 60)}</span><span class="track"><span class="segment p-running" data-left="0" data-width="${Math.max(0.5, Math.round((s.tokens / most) * 1000) / 10)}"></span></span><span class="dim cost">${tokens(s.tokens)}, ${s.shown.toLocaleString("en-US")} of ${count(s.tools, "tool")}</span>`,
  )}</div></details>`;
}

/** A tool that the pool has gained, lost, or has in another form. */
export interface ToolChange {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

function whatChanged(changes: readonly ToolChange[]): Markup {
  return html`<section class="notice"><p><strong>${count(changes.length, "tool")} changed</strong> <button class="second small" data-do="dismissChange">Dismiss</button></p>${changes.slice(0, 20).map(
    (c) => html`<details data-key="change ${c.name}"><summary><span class="tag">${c.before === undefined ? "added" : c.after === undefined ? "removed" : "changed"}</span> <code>${line(c.name, 160)}</code></summary><pre class="diff">${diffLines(c.before ?? "", c.after ?? "").map(
      (l) => html`<span class="diff-${l.kind}">${l.kind === "added" ? "+ " : l.kind === "removed" ? "- " : "  "}${visible(l.text)}
</span>`,
    )}</pre></details>`,
  )}${changes.length > 20 && html`<p class="dim">and ${count(changes.length - 20, "other")}</p>`}</section>`;
}

/** A diff by lines, small and exact: declarations have tens of lines. */
export function diffLines(before: string, after: string): { kind: "same" | "added" | "removed"; text: string }[] {
  const a = before === "" ? [] : before.split("\n").slice(0, 400);
  const b = after === "" ? [] : after.split("\n").slice(0, 400);
  // Length of the longest common subsequence of a[i…] and b[j…].
  const common = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i] ?? [];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const out: { kind: "same" | "added" | "removed"; text: string }[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i] ?? "" });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      out.push({ kind: "removed", text: a[i++] ?? "" });
    } else {
      out.push({ kind: "added", text: b[j++] ?? "" });
    }
  }
  return out;
}

function tokens(n: number): string {
  return `${n.toLocaleString("en-US")} tokens`;
}
