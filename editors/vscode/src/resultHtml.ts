// The runs panel: the list of runs and the one on show. Pure: runs in, markup out.
// The returned value is not here: the page draws it itself (webview/value.ts).

import { fold, foldText, html, type Markup } from "./html";
import { jsonMarkup, jsonPreview } from "./jsonText";
import { ownName } from "./permissionText";
import type { CallRecord, CallStatus, Log, Output, Range, RunStatus } from "./protocol";
import { isAgents, type RunModel } from "./runModel";
import { baseName, count, duration, line, size, visible } from "./text";
import { waterfall, type Bar } from "./waterfall";

const statusWords: Record<RunStatus, string> = {
  completed: "Completed",
  code_error: "Failed",
  timeout: "Timed out",
  budget_exceeded: "Over budget",
  cancelled: "Stopped",
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

const verdictWords = { allow: "would be allowed", ask: "would ask", deny: "would be denied" };

/** Image types that are shown; SVG is a document and is not among them. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Rows of calls and of log entries that are drawn. */
const maxRows = 500;

/** The word for a status, or a status of a newer server as it is. */
function word(words: Record<string, string | undefined>, status: string): string {
  return words[status] ?? line(status);
}

/** The state of a run as one word for styles. */
export function runState(run: RunModel): string {
  return run.running ? "running" : (run.result?.status ?? "code_error");
}

/** All runs, newest first; the one on show is marked. */
export function runList(runs: readonly RunModel[], shown: RunModel | undefined): Markup {
  return html`<ol class="run-list" aria-label="Runs">${runs.map((r) => {
    const state = runState(r);
    const words = r.running ? "Running" : r.result ? word(statusWords, r.result.status) : "Could not run";
    return html`<li data-key="run ${r.id}"><a href="#" class="run${r === shown && " shown"}" data-show="${r.id}" aria-current="${r === shown ? "true" : "false"}" title="${line(baseName(r.uri))}: ${words}${r.dryRun && ", dry run"}"><span class="dot r-${state}"></span><span class="run-name">${line(baseName(r.uri), 60)}</span>${
      r.dryRun && html`<span class="tag">dry</span>`
    }<span class="dim when">${r.running ? words : clock(r.startedAt)}</span></a>${
      r.running && html`<button class="icon" data-do="stop" data-run="${r.id}" title="Stop ${line(baseName(r.uri), 60)}" aria-label="Stop ${line(baseName(r.uri), 60)}">■</button>`
    }</li>`;
  })}</ol>`;
}

function clock(ms: number): string {
  const d = new Date(ms);
  return [d.getHours(), d.getMinutes(), d.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}

/** Everything of one run but its value, which the page puts into #value. */
export function resultView(run: RunModel, now: number, fetched = false): Markup {
  return html`<div data-key="detail ${run.id}">${header(run, now)}${dryNotice(run)}${problem(run)}${value(run, fetched)}${calls(run, now)}${logs(run)}${output(run.output)}${warnings(run)}${text(run)}</div>`;
}

/** What is shown before the first run. */
export function emptyResultView(): Markup {
  return html`<header><h1>No run yet</h1></header>
<p>Open an Exec script (<code>*.exec.ts</code>) and press F5, or ▶ at the top right of the editor.</p>
<p class="actions"><button data-do="newScript">New Exec script</button></p>`;
}

function header(run: RunModel, now: number): Markup {
  const result = run.result;
  const state = runState(run);
  const words = run.running ? (run.stopping ? "Stopping…" : "Running…") : result ? word(statusWords, result.status) : "Could not run";
  const waited = result?.timing.permissionMs ?? 0;
  const facts = [
    result ? duration(Math.max(0, result.timing.wallMs)) : run.running && duration(now),
    waited > 0 && `+ ${duration(waited)} waiting for you`,
    count(run.calls.length, "tool call"),
    `started ${clock(run.startedAt)}`,
  ].filter((f): f is string => typeof f === "string");
  return html`<header data-run="${run.runId ?? ""}">
<h1>${run.dryRun && html`<span class="badge dry">Dry run</span>`}${!(run.dryRun && state === "completed") && html`<span class="badge s-${state}">${words}</span>`} <a href="#" data-open="${run.uri}" title="Open the script">${line(baseName(run.uri))}</a></h1>
<p class="facts">${facts.map((f) => html`<span>${f}</span>`)}</p>
<p class="actions">${
    run.running
      ? html`<button data-do="stop" data-run="${run.id}">Stop</button>${run.calls.some((c) => c.status === "waiting") && html`<button class="second" data-do="review">Review waiting calls</button>`}`
      : html`<button data-do="${run.dryRun ? "dryRun" : "run"}">Run again</button>${run.dryRun && html`<button class="second" data-do="run">Run for real</button>`}${
          isAgents(run) && html`<button class="second" data-do="keep" title="Save the agent's script, to be run again or, with an input, offered to agents as a tool">Keep as a script…</button>`
        }${
          result !== undefined && html`<button class="second" data-do="copyText" title="The text that a model would read">Copy text for a model</button>`
        }`
  }</p>
</header>`;
}

function dryNotice(run: RunModel): Markup | undefined {
  if (!run.dryRun) {
    return undefined;
  }
  const of = (v: string): number => run.calls.filter((c) => c.verdict === v).length;
  const parts = [
    of("allow") > 0 && `${of("allow")} would be allowed`,
    of("ask") > 0 && `${of("ask")} would ask you`,
    of("deny") > 0 && `${of("deny")} would be denied`,
  ].filter((p): p is string => typeof p === "string");
  return html`<section class="notice dry"><p><span><strong>Nothing was called.</strong> Tools answered with samples made of their schemas.${parts.length > 0 && ` Of ${count(run.calls.length, "call")}, ${parts.join(", ")}.`}</span></p></section>`;
}

function problem(run: RunModel): Markup | undefined {
  if (run.failure !== undefined) {
    return html`<section class="problem" role="alert"><p>${visible(run.failure)}</p><p class="actions"><button class="second" data-do="output">Show output</button></p></section>`;
  }
  const e = run.result?.error;
  const findings = run.result?.diagnostics ?? [];
  if (!e && findings.length === 0) {
    return undefined;
  }
  const budget = run.result?.budget;
  return html`<section class="problem">${
    e && html`<p><strong>${line(e.name)}</strong>: ${foldText(visible(e.message))}${place(run, e.range)}</p>`
  }${budget && html`<p>The limit was ${budget.value.toLocaleString("en-US")}${budget.unit !== undefined && ` ${line(budget.unit, 20)}`}. ${visible(budget.raise)}</p><p class="actions"><button class="second" data-do="setting" data-tool="codemode.${budget.setting}">Change the limit</button> <code class="dim">codemode.${budget.setting}</code></p>`}${
    e?.stack && html`<details data-key="stack ${run.id}"><summary>Stack</summary><pre>${stack(run, e.stack)}</pre></details>`
  }${findings.length > 0 && html`<ul>${findings.map((d) => html`<li>${visible(d.message)}${place(run, d.range)}</li>`)}</ul>`}</section>`;
}

/** A stack with the script's own name, each place a link. */
function stack(run: RunModel, text: string): Markup {
  const name = line(baseName(run.uri), 60);
  const parts: (string | Markup)[] = [];
  let end = 0;
  for (const m of text.matchAll(/script\.[jt]s:(\d+):(\d+)/g)) {
    const [l, c] = [Number(m[1]), Number(m[2])];
    parts.push(visible(text.slice(end, m.index)), html`<a href="#" data-open="${run.uri}" data-line="${l - 1}" data-character="${c - 1}">${name}:${l}:${c}</a>`);
    end = m.index + m[0].length;
  }
  parts.push(visible(text.slice(end)));
  return html`${parts}`;
}

function value(run: RunModel, fetched: boolean): Markup | undefined {
  const result = run.result;
  if (!result) {
    return undefined;
  }
  if (result.valueOmitted && !fetched) {
    const { bytes, artifact } = result.valueOmitted;
    return section(`value ${run.id}`, "Value", undefined, html`<div class="omitted"><p><strong>The value is ${size(bytes)} long</strong> and was left out of the result.</p>
<p class="actions"><button data-do="fetch">Show it here</button>${artifact !== undefined && html`<button class="second" data-file="${artifact}" title="${artifact}">Open its file</button>`}<button class="second" data-do="saveJson">Save as…</button></p></div><div id="value" data-own data-value-of="${run.id}"></div>`);
  }
  if (result.hasValue || fetched) {
    return section(`value ${run.id}`, "Value", undefined, html`<div id="value" data-own data-value-of="${run.id}"></div>`);
  }
  return result.status === "completed" ? section(`value ${run.id}`, "Value", undefined, html`<p class="dim">The script returned nothing.</p>`) : undefined;
}

function calls(run: RunModel, now: number): Markup | undefined {
  if (run.calls.length === 0) {
    return undefined;
  }
  const w = waterfall(run, now);
  return section(
    `calls ${run.id}`,
    "Calls",
    run.calls.length,
    html`${!run.dryRun && html`<div class="axis dim" aria-hidden="true"><span>0</span><span class="legend"><span class="key-waiting"></span>waits for you <span class="key-queued"></span>queued <span class="key-running"></span>runs${
      w.shortened && html` <span title="Time in which only your answer was missing is drawn shorter">· waiting shortened</span>`
    }</span><span>${duration(w.lengthMs)}</span></div>`}
<ol class="calls${run.dryRun && " dry"}">${run.calls.slice(0, maxRows).map((c, i) => call(run, c, w.bars[i]))}</ol>${
      run.calls.length > maxRows && html`<p class="dim">The first ${maxRows} calls are shown.</p>`
    }`,
  );
}

function call(run: RunModel, c: CallRecord, bar: Bar | undefined): Markup {
  const name = ownName(c.tool);
  const state = run.dryRun && c.verdict ? verdictWords[c.verdict] : word(callWords, c.status);
  const style = run.dryRun ? `v-${c.verdict ?? "ask"}` : `c-${c.status}`;
  const result = c.result === undefined ? undefined : JSON.stringify(c.result);
  const own = bar?.ownMs === undefined || run.dryRun ? "" : duration(bar.ownMs);
  return html`<li data-key="call ${run.id} ${c.index}"><details data-key="call-open ${run.id} ${c.index}"><summary title="${line(c.tool, 240)}">
<span class="dot ${style}"></span><span class="what"><code class="name">${name}</code> <code class="dim preview">${jsonPreview(JSON.stringify(c.arguments ?? {}), 80)}</code>${
    result !== undefined && html` <span class="dim">→</span> <code class="dim preview">${jsonPreview(result, 80)}</code>`
  }${c.error !== undefined && html` <span class="error">${line(c.error, 120)}</span>`}</span>
<span class="state ${style}">${state}</span>
${!run.dryRun && html`<span class="track">${bar?.segments.map((s) => html`<span class="segment p-${s.phase}" data-left="${s.left}" data-width="${s.width}"></span>`)}</span>`}
<span class="dim time">${own}</span>${place(run, c.range)}
</summary><div class="body">
${c.error !== undefined && html`<p class="error">${foldText(visible(c.error))}</p>`}
${run.dryRun && c.verdict && html`<p>${verdictWords[c.verdict]}${c.verdictBy !== undefined && `: ${line(c.verdictBy, 200)}`}</p>`}
<h3>Arguments</h3><pre class="arguments">${jsonMarkup(JSON.stringify(c.arguments ?? {}))}</pre>
${result !== undefined ? html`<h3>Result</h3><pre class="arguments">${jsonMarkup(result)}</pre>` : c.resultBytes !== undefined && html`<p class="dim">Result: ${size(c.resultBytes)}</p>`}
<p class="dim">${[
    `Server: ${line(c.server)}`,
    bar?.ownMs !== undefined && !run.dryRun && `${duration(bar.ownMs)} at its server`,
    bar && bar.waitedMs > 0 && `${duration(bar.waitedMs)} waiting for you`,
    c.timing && c.timing.queuedMs > 0 && `${duration(c.timing.queuedMs)} queued`,
  ]
    .filter((f): f is string => typeof f === "string")
    .join(" · ")}</p></div></details></li>`;
}

function logs(run: RunModel): Markup | undefined {
  const entries = run.logs;
  if (entries.length === 0) {
    return undefined;
  }
  return section(`logs ${run.id}`, "Log", entries.length, html`<div class="logs">${entries.slice(0, maxRows).map((l) => logLine(run, l))}</div>${
    entries.length > maxRows && html`<p class="dim">The first ${maxRows} entries are shown.</p>`
  }`);
}

function logLine(run: RunModel, l: Log): Markup {
  return html`<div class="log l-${l.level}"><span class="level">${line(l.level, 8)}</span><pre>${l.text.length > 4000 ? foldText(visible(l.text)) : stack(run, l.text)}</pre></div>`;
}

function output(items: readonly Output[]): Markup | undefined {
  if (items.length === 0) {
    return undefined;
  }
  return section("output", "Output", items.length, html`${items.map((o, i) => {
    if (o.type === "text") {
      return html`<pre class="text">${foldText(visible(o.text ?? ""))}</pre>`;
    }
    const type = o.mimeType ?? "unknown";
    const data = o.data ?? "";
    const bytes = Math.floor((data.length * 3) / 4);
    return imageTypes.has(type) && /^[A-Za-z0-9+/=\s]*$/.test(data)
      ? html`<figure><img alt="Image ${i + 1} of the script, ${line(type, 40)}" src="data:${type};base64,${data}"><figcaption class="dim">${line(type, 40)}, ${size(bytes)} <button class="second small" data-do="saveImage" data-tool="${i}">Save…</button></figcaption></figure>`
      : html`<p class="dim">${line(o.type, 20)} of type ${line(type, 80)}${data !== "" && html`, ${size(bytes)}`}: it cannot be shown here. ${data !== "" && html`<button class="second small" data-do="saveImage" data-tool="${i}">Save…</button>`}</p>`;
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
  if (r?.truncated && !r.valueOmitted) {
    list.push(html`<li>The text for a model was cut; it has ${count(r.truncated.totalChars, "character")}.${
      r.truncated.artifact !== undefined && html` <a href="#" data-file="${r.truncated.artifact}">Open the whole</a>`
    }</li>`);
  }
  return list.length === 0 ? undefined : section(`warnings ${run.id}`, "Warnings", list.length, html`<ul>${list}</ul>`);
}

function text(run: RunModel): Markup | undefined {
  if (!run.result) {
    return undefined;
  }
  const shown = visible(run.result.text);
  return html`<details class="section" data-key="text ${run.id}"><summary><h2>Text for a model</h2></summary><pre class="text" data-whole>${
    shown.length > 60_000 ? html`${shown.slice(0, 40_000)}${fold(`${(shown.length - 40_000).toLocaleString("en-US")} more characters`, html`${shown.slice(40_000)}`)}` : shown
  }</pre></details>`;
}

function section(key: string, title: string, n: number | undefined, body: Markup): Markup {
  return html`<details class="section" data-key="${key}" open><summary><h2>${title}</h2>${
    n !== undefined && html`<span class="count">${n.toLocaleString("en-US")}</span>`
  }</summary>${body}</details>`;
}

function place(run: RunModel, range: Range | undefined): Markup | undefined {
  return range && html` <a href="#" class="place" data-open="${run.uri}" data-line="${range.start.line}" data-character="${range.start.character}">line ${range.start.line + 1}</a>`;
}
