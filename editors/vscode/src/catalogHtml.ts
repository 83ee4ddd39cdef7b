// The catalog panel's content. Pure: an answer of codemode/catalog in, markup out.

import { highlight } from "./highlight";
import { html, type Markup } from "./html";
import { describeAnnotations } from "./permissionText";
import type { Catalog, CatalogTool } from "./protocol";
import { count, line, visible } from "./text";

/** What a person has set in the panel. */
export interface CatalogQuery {
  budgetTokens: number;
  /** "" is every server. */
  namespace: string;
}

/** How the pool differs from the one before. */
export interface CatalogChange {
  added: string[];
  removed: string[];
  changed: string[];
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

/** Added, removed and changed tools by name; undefined when nothing differs. */
export function compare(before: readonly CatalogTool[], after: readonly CatalogTool[]): CatalogChange | undefined {
  const old = new Map(before.map((t) => [t.name, t]));
  const now = new Map(after.map((t) => [t.name, t]));
  const change: CatalogChange = {
    added: after.filter((t) => !old.has(t.name)).map((t) => t.name),
    removed: before.filter((t) => !now.has(t.name)).map((t) => t.name),
    changed: after
      .filter((t) => {
        const was = old.get(t.name);
        return was !== undefined && (was.signature !== t.signature || was.description !== t.description);
      })
      .map((t) => t.name),
  };
  return change.added.length + change.removed.length + change.changed.length === 0 ? undefined : change;
}

/** The controls: drawn once, so that a slider being dragged is never replaced. */
export function catalogControls(q: CatalogQuery): Markup {
  return html`<div class="controls">
<label>Budget <input type="range" id="budget" min="0" max="${budgets.length - 1}" step="1" value="${budgetStop(q.budgetTokens)}" data-values="${budgets.join(",")}"><output id="budget-value">${tokens(q.budgetTokens)}</output></label>
<label>Server <select id="namespace"><option value="">All servers</option></select></label>
</div>`;
}

/** Everything that changes with the pool and the controls. */
export function catalogView(c: Catalog, change: CatalogChange | undefined): Markup {
  return html`${summary(c)}${change && whatChanged(change)}
<details class="section" data-key="text" open><summary><h2>Text that a model reads</h2><button class="second small" data-do="copyText">Copy</button></summary><pre id="catalog-text">${highlight(c.text)}</pre></details>
<details class="section" data-key="tools" open><summary><h2>Tools</h2><span class="count">${c.tools.length.toLocaleString("en-US")}</span></summary>${tools(c)}</details>`;
}

/** The options of the server filter, for the page's script. */
export function namespaces(c: Catalog): { value: string; label: string }[] {
  return c.servers.map((s) => ({ value: s.namespace, label: `${line(s.name, 60)} (${count(s.tools, "tool")})` }));
}

function summary(c: Catalog): Markup {
  const share = c.flatTokens > 0 ? Math.min(20, Math.max(1, Math.round((c.tokens / c.flatTokens) * 20))) : 0;
  const saved = c.flatTokens > 0 ? Math.round((1 - c.tokens / c.flatTokens) * 100) : 0;
  return html`<section class="summary">
<div class="figure"><strong>${c.shown.toLocaleString("en-US")}</strong> of ${count(c.total, "tool")} shown${c.partial && html` <span class="badge s-timeout">partial</span>`}</div>
<div class="figure"><strong>${tokens(c.tokens)}</strong> as this catalog</div>
<div class="figure"><strong>${tokens(c.flatTokens)}</strong> as flat declarations</div>
${c.flatTokens > 0 && html`<div class="meter" title="${saved >= 0 ? `${saved} % fewer tokens than flat declarations` : `${-saved} % more tokens than flat declarations`}"><span class="bar w-${share}"></span></div><div class="dim">${saved >= 0 ? `${saved} % fewer` : `${-saved} % more`}</div>`}
</section>`;
}

function whatChanged(change: CatalogChange): Markup {
  const part = (words: string, names: readonly string[]): Markup | false =>
    names.length > 0 &&
    html`<li>${words}: ${names.slice(0, 12).map((n, i) => html`${i > 0 && ", "}<code>${line(n, 120)}</code>`)}${names.length > 12 && ` and ${count(names.length - 12, "other")}`}</li>`;
  return html`<section class="notice"><p><strong>The pool changed</strong> <button class="second small" data-do="dismissChange">Dismiss</button></p><ul>${part("Added", change.added)}${part("Removed", change.removed)}${part("Changed", change.changed)}</ul></section>`;
}

function tools(c: Catalog): Markup {
  if (c.tools.length === 0) {
    return html`<p class="dim">No MCP tools are available now.</p>`;
  }
  return html`<div class="tools">${c.tools.map(
    (t) => html`<details class="tool" data-key="tool-${t.name}"><summary>
<code class="name${!t.shown && " cut"}">${line(t.name, 160)}</code>
<span class="dim cost">${tokens(t.tokens)}</span>${!t.shown && html`<span class="badge s-timeout">cut</span>`}
<span class="badge p-${t.permission}">${t.permission === "allow" ? "allowed" : "asks"}</span>${describeAnnotations(t.annotations).map((a) => html`<span class="badge mark">${a}</span>`)}
</summary><div class="body">
${t.title && html`<p><strong>${line(t.title)}</strong></p>`}<p class="description">${(t.description && visible(t.description)) || html`<span class="dim">No description.</span>`}</p>
<pre>${highlight(t.signature)}</pre>
<p class="actions"><button data-do="insert" data-tool="${t.name}">Insert call</button><button class="second" data-do="copySignature" data-tool="${t.name}">Copy</button></p>
</div></details>`,
  )}</div>`;
}

function tokens(n: number): string {
  return `${n.toLocaleString("en-US")} tokens`;
}
