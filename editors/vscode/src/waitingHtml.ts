// The list of what waits for a person. Pure: what waits in, markup out. The
// arguments come before everything that a server says of itself (PERM-15).

import { approvalMarkup, approvalTitle } from "./approvalText";
import { foldText, html, type Markup } from "./html";
import { jsonMarkup, jsonPreview } from "./jsonText";
import { choicesFor, describeAnnotations, ownName, type Choice } from "./permissionText";
import type { InputQuestion, PermissionRequest, Range } from "./protocol";
import { baseName, count, line, visible } from "./text";
import type { Item, Upcoming, Waiting } from "./waitingModel";

/** Rows shown of the calls that are not asked about yet. */
const maxRows = 200;

export function waitingView(w: Waiting): Markup {
  const upcoming = w.upcoming;
  if (w.count === 0) {
    return html`<p class="empty dim">Nothing waits for you. Tool calls that need your permission appear here.</p>`;
  }
  return html`<div class="cards" role="list">${w.items.map((item) => card(item, w))}</div>${
    upcoming.length > 0 &&
    html`<section class="upcoming"><h2>Next <span class="count">${upcoming.length.toLocaleString("en-US")}</span></h2><ol>${upcoming.slice(0, maxRows).map(row)}</ol>${
      upcoming.length > maxRows && html`<p class="dim">and ${count(upcoming.length - maxRows, "more call")}</p>`
    }</section>`
  }`;
}

function card(item: Item, w: Waiting): Markup {
  switch (item.kind) {
    case "call":
      return callCard(item.key, item.request, w.alike(item.request));
    case "server": {
      const { server } = item;
      return frame(item.key, approvalTitle(server, server.approval), html`${approvalMarkup(server, server.approval)}
<p class="actions">${button("later", "Not now")}${button("start", server.approval.url ? "Connect" : "Start", true)}${button("never", "Never")}</p>
<p class="actions">${button("none", "Start none of this workspace")}</p>`);
    }
    case "input":
      return inputCard(item.key, item.question);
  }
}

function callCard(key: string, r: PermissionRequest, alike: number): Markup {
  const claims = describeAnnotations(r.annotations);
  const destructive = claims.includes("destructive");
  const choices = choicesFor(r, alike);
  const text = r.argumentsText ?? JSON.stringify(r.arguments ?? {});
  const facts: Markup[] = [];
  const fact = (label: string, value: Markup): void => {
    facts.push(html`<p><span class="dim">${label}</span> ${value}</p>`);
  };
  if (r.note?.trim()) {
    fact("A hook says:", foldText(visible(r.note.trim())));
  }
  if (r.changed?.trim()) {
    fact("Its server has changed this tool since you allowed it:", foldText(visible(r.changed.trim())));
  }
  if (claims.length > 0) {
    fact("Its server says:", html`${claims.join(", ")}`);
  }
  if (r.title?.trim() || r.description?.trim()) {
    fact("Described as:", foldText(visible([r.title, r.description].filter((t) => t?.trim()).join(" — "))));
  }
  return frame(
    key,
    html`<code>${ownName(r.tool)}</code> <span class="dim">on ${line(r.server, 80)}${r.agent !== undefined && html`, for the agent “${line(r.agent, 60)}”`}</span>${destructive && html` <span class="badge s-destructive">destructive</span>`}`,
    html`<pre class="arguments" tabindex="0" aria-label="Arguments">${text.trim() === "{}" ? html`<span class="dim">no arguments</span>` : jsonMarkup(text)}</pre>
<p class="actions">${decision(choices.deny, false)}${decision(choices.allow, !destructive)}</p>
${choices.alike.length > 0 && html`<p class="actions alike"><span class="dim">${count(alike, "call")} of this tool:</span>${choices.alike.map((c) => decision(c, false))}</p>`}
<details class="more" data-key="more ${key}"><summary>More answers</summary><p class="actions column">${choices.more.map((c) => decision(c, false))}</p></details>
<div class="about">${place(r)}<p><span class="dim">Full name:</span> <code>${line(r.tool, 240)}</code></p>${facts}</div>`,
    destructive,
  );
}

function inputCard(key: string, q: InputQuestion): Markup {
  if (q.server !== undefined) {
    return frame(
      key,
      html`MCP server ${line(q.server, 80)} asks`,
      html`<p>${foldText(visible(q.description ?? ""))}</p><p class="actions">${button("decline", "Decline")}${button("enter", "Answer…", true)}</p>`,
    );
  }
  return frame(
    key,
    html`${line(baseName(q.file), 80)} asks for <code>${line(q.id, 80)}</code>`,
    html`${q.description !== undefined && html`<p>${foldText(visible(q.description))}</p>`}<p class="actions">${button("later", "Not now")}${button("enter", "Answer…", true)}</p>`,
  );
}

/** One item: a group with a name, so that a screen reader says what its buttons are about. */
function frame(key: string, title: Markup | string, body: Markup, destructive = false): Markup {
  return html`<section class="card${destructive && " destructive"}" role="listitem" data-key="${key}" data-card tabindex="-1" aria-label="${plain(title)}">
<h2>${title}</h2>${body}</section>`;
}

/** The words of a title, for a label. */
function plain(title: Markup | string): string {
  return typeof title === "string" ? title : title.text.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, e: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[e] ?? "");
}

function decision(c: Choice, first: boolean): Markup {
  return button(c.id, c.label, first);
}

/** A button that decides something: the page lets it rest before it can be pressed. */
function button(id: string, label: string, first = false): Markup {
  return html`<button class="${first ? "" : "second"}" data-decide="${id}">${label}</button>`;
}

function place(r: { uri?: string; range?: Range }): Markup | undefined {
  if (r.uri === undefined) {
    return undefined;
  }
  const at = r.range?.start;
  return html`<p><span class="dim">Called at:</span> <a href="#" data-open="${r.uri}" data-line="${at?.line ?? 0}" data-character="${at?.character ?? 0}">${line(baseName(r.uri), 80)}${at && `, line ${at.line + 1}`}</a></p>`;
}

function row(u: Upcoming): Markup {
  const text = JSON.stringify(u.call.arguments ?? {});
  return html`<li data-key="next ${u.runId} ${u.call.index}"><details data-key="next-open ${u.runId} ${u.call.index}"><summary><code>${ownName(u.call.tool)}</code> <code class="dim preview">${jsonPreview(text)}</code></summary>
<pre class="arguments">${jsonMarkup(text)}</pre>${place({ ...(u.uri === undefined ? {} : { uri: u.uri }), ...(u.call.range ? { range: u.call.range } : {}) })}</details></li>`;
}

