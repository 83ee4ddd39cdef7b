// The script of the catalog panel. The list of tools has only the rows in view as
// elements, so that it is as fast with five thousand tools as with five.

import type { ToolRow } from "../catalogHtml";
import { visible } from "../text";
import { host, noteOpened, opened } from "./host";
import { morph } from "./morph";

type Incoming =
  | { type: "tools"; tools: ToolRow[] }
  | { type: "view"; html: string; shown: string[] }
  | { type: "detail"; html: string }
  | { type: "select"; name: string }
  | { type: "namespaces"; options: { value: string; label: string }[]; selected: string };

const rowHeight = 26;

function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const e = document.getElementById(id);
  if (!(e instanceof type)) {
    throw new Error(`the page has no ${id}`);
  }
  return e;
}

const main = byId("main", HTMLElement);
const section = byId("tools", HTMLElement);
const list = byId("tool-list", HTMLDivElement);
const rows = byId("tool-rows", HTMLDivElement);
const detail = byId("detail", HTMLDivElement);
const search = byId("search", HTMLInputElement);
const counter = byId("tool-count", HTMLElement);
const namespace = byId("namespace", HTMLSelectElement);

let tools: ToolRow[] = [];
let filtered: ToolRow[] = [];
let shown = new Set<string>();
let selected: string | undefined;

window.addEventListener("message", (event: MessageEvent<Incoming>) => {
  const m = event.data;
  switch (m.type) {
    case "tools":
      tools = m.tools;
      section.hidden = false;
      filter();
      break;
    case "view":
      shown = new Set(m.shown);
      morph(main, m.html);
      for (const details of main.querySelectorAll<HTMLDetailsElement>("details[data-key]")) {
        const was = opened[details.dataset["key"] ?? ""];
        if (was !== undefined) {
          details.open = was;
        }
      }
      measure(main);
      draw();
      break;
    case "select":
      search.value = "";
      filter();
      list.scrollTop = Math.max(0, tools.findIndex((t) => t.name === m.name) * rowHeight - list.clientHeight / 2);
      select(m.name);
      detail.scrollIntoView({ block: "nearest" });
      break;
    case "detail":
      morph(detail, m.html);
      break;
    case "namespaces":
      namespace.replaceChildren(namespace.options[0] ?? new Option("All servers", ""), ...m.options.map((o) => new Option(o.label, o.value, false, o.value === m.selected)));
      break;
  }
});

/** The style attribute is closed to markup by the content security policy. */
function measure(root: HTMLElement): void {
  for (const segment of root.querySelectorAll<HTMLElement>("[data-left]")) {
    segment.style.left = `${segment.dataset["left"] ?? "0"}%`;
    segment.style.width = `${segment.dataset["width"] ?? "0"}%`;
  }
}

function filter(): void {
  const words = search.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
  filtered = words.length === 0 ? tools : tools.filter((t) => words.every((w) => t.words.includes(w)));
  counter.textContent = filtered.length === tools.length ? tools.length.toLocaleString("en-US") : `${filtered.length.toLocaleString("en-US")} of ${tools.length.toLocaleString("en-US")}`;
  rows.style.height = `${filtered.length * rowHeight}px`;
  list.style.height = `${Math.min(filtered.length * rowHeight + 2, Math.max(220, window.innerHeight * 0.5))}px`;
  list.scrollTop = 0;
  draw();
}

function draw(): void {
  const from = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 8);
  const to = Math.min(filtered.length, from + Math.ceil(list.clientHeight / rowHeight) + 16);
  rows.replaceChildren(...filtered.slice(from, to).map((t, i) => row(t, from + i)));
}

function span(className: string, text: string): HTMLElement {
  const e = document.createElement("span");
  e.className = className;
  e.textContent = text;
  return e;
}

function row(t: ToolRow, at: number): HTMLElement {
  const e = document.createElement("div");
  const isShown = shown.has(t.name);
  e.className = `tool-row${t.name === selected ? " selected" : ""}${isShown ? "" : " cut"}`;
  e.style.top = `${at * rowHeight}px`;
  e.id = `tool-${at}`;
  e.dataset["select"] = t.name;
  e.title = visible(t.name);
  e.setAttribute("role", "option");
  e.setAttribute("aria-selected", String(t.name === selected));
  e.setAttribute("aria-posinset", String(at + 1));
  e.setAttribute("aria-setsize", String(filtered.length));
  e.append(span("name", t.own), span("dim server", t.server), ...t.marks.filter((m) => m === "destructive").map((m) => span("badge mark", m)));
  if (!isShown) {
    e.append(span("badge mark", "cut"));
  }
  e.append(span(`badge p-${t.permission}`, t.permission === "allow" ? "allowed" : "asks"), span("dim cost", t.tokens.toLocaleString("en-US")));
  return e;
}

function select(name: string): void {
  selected = name;
  draw();
  const at = filtered.findIndex((t) => t.name === name);
  list.setAttribute("aria-activedescendant", `tool-${at}`);
  host.postMessage({ type: "click", do: "detail", tool: name });
}

list.addEventListener("scroll", () => {
  requestAnimationFrame(draw);
});
window.addEventListener("resize", filter);
search.addEventListener("input", filter);
list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined || filtered.length === 0) {
    return;
  }
  event.preventDefault();
  const at = filtered.findIndex((t) => t.name === selected);
  const next = Math.max(0, Math.min(filtered.length - 1, at + step));
  if (next * rowHeight < list.scrollTop) {
    list.scrollTop = next * rowHeight;
  } else if ((next + 1) * rowHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = (next + 1) * rowHeight - list.clientHeight;
  }
  const tool = filtered[next];
  if (tool) {
    select(tool.name);
  }
});

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-do],[data-select],[data-fold]") : null;
  if (!target) {
    return;
  }
  if (target.dataset["select"] !== undefined) {
    select(target.dataset["select"]);
    return;
  }
  event.preventDefault();
  if (target.hasAttribute("data-fold")) {
    target.hidden = true;
    const hidden = target.nextElementSibling;
    if (hidden instanceof HTMLElement) {
      hidden.hidden = false;
    }
    return;
  }
  host.postMessage({ type: "click", do: target.dataset["do"], tool: target.dataset["tool"] });
});

noteOpened();

document.addEventListener("input", (event) => {
  const slider = event.target;
  if (slider instanceof HTMLInputElement && slider.id === "budget") {
    const values = (slider.dataset["values"] ?? "").split(",").map(Number);
    const tokens = values[Number(slider.value)] ?? 0;
    const words = `${tokens.toLocaleString("en-US")} tokens`;
    slider.setAttribute("aria-valuetext", words);
    byId("budget-value", HTMLElement).textContent = words;
    host.postMessage({ type: "budget", tokens });
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form instanceof HTMLFormElement && form.dataset["try"] !== undefined) {
    event.preventDefault();
    const values = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>("[data-field]")].map((f) => f.value);
    host.postMessage({ type: "click", do: "try", tool: form.dataset["try"], values });
  }
});

namespace.addEventListener("change", () => {
  host.postMessage({ type: "namespace", namespace: namespace.value });
});

host.postMessage({ type: "ready" });
