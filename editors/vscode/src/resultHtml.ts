// The result panel's content. Pure: a run in, markup out.

import { html, type Markup } from "./html";
import type { CallRecord, CallStatus, Log, Output, Range, RunStatus } from "./protocol";
import type { RunModel } from "./runModel";
import { baseName, count, duration, line, size, visible } from "./text";
import { valueTree } from "./valueHtml";

const statusWords: Record<RunStatus, string> = {
  completed: "Completed",
  code_error: "Failed",
  timeout: "Timed out",
  budget_exceeded: "Budget exceeded",
  cancelled: "Cancelled",
  denied: "Denied",
};

const callWords: Record<CallStatus, string> = {
  queued: "queued",
  waiting: "waiting for you",
  running: "running",
  completed: "done",
  failed: "failed",
  denied: "denied",
  refused: "refused",
  cancelled: "cancelled",
  timeout: "timed out",
};

/** The word for a status, or a status of a newer server as it is. */
function word(words: Record<string, string | undefined>, status: string): string {
  return words[status] ?? line(status);
}

/** Image types that are shown; SVG is a document and is not among them. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Everything of one run: status, value, calls, logs, output, warnings, text. */
export function resultView(run: RunModel): Markup {
  return html`${header(run)}${problem(run)}${value(run)}${calls(run)}${logs(run.logs)}${output(run.output)}${warnings(run)}${text(run)}`;
}

/** What is shown before the first run. */
export function emptyResultView(): Markup {
  return html`<header><h1>No run yet</h1></header>
<p class="dim">Open a <code>*.exec.ts</code> file and press ▶ at the top right of the editor.</p>`;
}

function header(run: RunModel): Markup {
  const result = run.result;
  const state = run.running ? "running" : (result?.status ?? "code_error");
  const words = run.running ? "Running…" : result ? word(statusWords, result.status) : "Could not run";
  const facts = [
    result && duration(result.timing.wallMs),
    result && result.timing.permissionMs > 0 && `${duration(result.timing.permissionMs)} waiting for you`,
    count(run.calls.length, "tool call"),
    run.dryRun && "dry run: no server was contacted",
  ].filter((f): f is string => typeof f === "string");
  return html`<header data-run="${run.runId ?? ""}">
<h1><span class="badge s-${state}">${words}</span> <a href="#" data-open="${run.uri}" title="Open the script">${line(baseName(run.uri))}</a></h1>
<p class="facts">${facts.map((f) => html`<span>${f}</span>`)}</p>
<p class="actions">${
    run.running
      ? html`<button data-do="stop">Stop</button>`
      : html`<button data-do="${run.dryRun ? "dryRun" : "run"}">Run again</button>${
          result !== undefined && html`<button class="second" data-do="copyText" title="The text that a model would read">Copy text</button>`
        }${result?.hasValue === true && html`<button class="second" data-do="copyValue">Copy value</button>`}`
  }</p>
</header>`;
}

function problem(run: RunModel): Markup | undefined {
  if (run.failure !== undefined) {
    return html`<section class="problem"><p>${visible(run.failure)}</p></section>`;
  }
  const e = run.result?.error;
  const findings = run.result?.diagnostics ?? [];
  if (!e && findings.length === 0) {
    return undefined;
  }
  return html`<section class="problem">${
    e && html`<p><strong>${line(e.name)}</strong>: ${visible(e.message)}${place(run, e.range)}</p>`
  }${e?.stack && html`<details><summary>Stack</summary><pre>${visible(e.stack)}</pre></details>`}${
    findings.length > 0 &&
    html`<ul>${findings.map((d) => html`<li>${visible(d.message)}${place(run, d.range)}</li>`)}</ul>`
  }</section>`;
}

function value(run: RunModel): Markup | undefined {
  const result = run.result;
  if (!result) {
    return undefined;
  }
  if (result.hasValue) {
    return section("value", "Value", undefined, typeof result.value === "string" ? html`<pre class="text">${visible(result.value)}</pre>` : valueTree(result.value));
  }
  return result.status === "completed" ? section("value", "Value", undefined, html`<p class="dim">The script returned nothing.</p>`) : undefined;
}

function calls(run: RunModel): Markup | undefined {
  if (run.calls.length === 0) {
    return undefined;
  }
  const longest = Math.max(1, ...run.calls.map((c) => workMs(c) ?? 0));
  return section("calls", "Calls", run.calls.length, html`<ol class="calls">${run.calls.map((c) => call(run, c, longest))}</ol>`);
}

function call(run: RunModel, c: CallRecord, longest: number): Markup {
  const t = c.timing;
  // Bars are one of 20 widths: styles in attributes are not allowed in a panel.
  const work = workMs(c);
  const share = work === undefined ? 0 : Math.max(1, Math.round((work / longest) * 20));
  return html`<li><details data-key="call-${c.index}"><summary>
<span class="dot c-${c.status}"></span><code class="name">${line(c.tool)}</code>
<span class="state c-${c.status}">${word(callWords, c.status)}</span>
<span class="bar w-${share}"></span><span class="dim time">${work === undefined ? "" : duration(work)}</span>${place(run, c.range)}
</summary><div class="body">
${c.error !== undefined && html`<p class="error">${visible(c.error)}</p>`}
<h3>Arguments</h3>${valueTree(c.arguments)}
<p class="dim">${[
    `Server: ${line(c.server)}`,
    t && t.permissionMs > 0 && `${duration(t.permissionMs)} waiting for you`,
    t && t.queuedMs > 0 && `${duration(t.queuedMs)} queued`,
    c.resultBytes !== undefined && `result: ${size(c.resultBytes)}`,
  ]
    .filter((f): f is string => typeof f === "string")
    .join(" · ")}</p></div></details></li>`;
}

/** The call's own time: waiting for a person or for its turn is told apart. */
function workMs(c: CallRecord): number | undefined {
  return c.timing && Math.max(0, c.timing.totalMs - c.timing.permissionMs - c.timing.queuedMs);
}

function logs(entries: readonly Log[]): Markup | undefined {
  if (entries.length === 0) {
    return undefined;
  }
  return section("logs", "Log", entries.length, html`<div class="logs">${entries.map(
    (l) => html`<div class="log l-${l.level}"><span class="level">${line(l.level, 8)}</span><pre>${visible(l.text)}</pre></div>`,
  )}</div>`);
}

function output(items: readonly Output[]): Markup | undefined {
  if (items.length === 0) {
    return undefined;
  }
  return section("output", "Output", items.length, html`${items.map((o) => {
    if (o.type === "text") {
      return html`<pre class="text">${visible(o.text)}</pre>`;
    }
    return imageTypes.has(o.mimeType) && /^[A-Za-z0-9+/=\s]*$/.test(o.data)
      ? html`<img alt="image from the script" src="data:${o.mimeType};base64,${o.data}">`
      : html`<p class="dim">An attachment of type ${line(o.mimeType, 80)} cannot be shown here.</p>`;
  })}`);
}

function warnings(run: RunModel): Markup | undefined {
  const r = run.result;
  const list: Markup[] = (r?.warnings ?? []).map(
    (w) => html`<li>${w.path !== undefined && html`<code>${line(w.path)}</code> `}${visible(w.message)}${place(run, w.range)}</li>`,
  );
  if (r?.dropped) {
    list.push(html`<li>${count(r.dropped.images, "image")} (${size(r.dropped.bytes)}) left out: over the limit.</li>`);
  }
  if (r?.truncated) {
    list.push(html`<li>The text was cut; it has ${count(r.truncated.totalChars, "character")}.${
      r.truncated.artifact !== undefined && html` <a href="#" data-file="${r.truncated.artifact}">Open the whole</a>`
    }</li>`);
  }
  return list.length === 0 ? undefined : section("warnings", "Warnings", list.length, html`<ul>${list}</ul>`);
}

function text(run: RunModel): Markup | undefined {
  if (!run.result) {
    return undefined;
  }
  return html`<details class="section" data-key="text"><summary><h2>Text for a model</h2></summary><pre class="text">${visible(run.result.text)}</pre></details>`;
}

function section(key: string, title: string, n: number | undefined, body: Markup): Markup {
  return html`<details class="section" data-key="${key}" open><summary><h2>${title}</h2>${
    n !== undefined && html`<span class="count">${n.toLocaleString("en-US")}</span>`
  }</summary>${body}</details>`;
}

function place(run: RunModel, range: Range | undefined): Markup | undefined {
  return range && html` <a href="#" class="place" data-open="${run.uri}" data-line="${range.start.line}" data-character="${range.start.character}">line ${range.start.line + 1}</a>`;
}
