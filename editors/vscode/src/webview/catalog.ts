// The script inside both panels. It draws what the extension sends and reports
// clicks; it decides nothing.

interface Host {
  postMessage(message: unknown): void;
  getState(): Record<string, boolean> | undefined;
  setState(state: Record<string, boolean>): void;
}

declare function acquireVsCodeApi(): Host;

type Incoming =
  | { type: "view"; html: string }
  | { type: "namespaces"; options: { value: string; label: string }[]; selected: string };

const host = acquireVsCodeApi();
const main = document.getElementById("main");
/** Which sections a person has opened or closed, by their key. */
const opened: Record<string, boolean> = host.getState() ?? {};

window.addEventListener("message", (event: MessageEvent<Incoming>) => {
  const message = event.data;
  if (message.type === "view") {
    draw(message.html);
  } else {
    fillNamespaces(message.options, message.selected);
  }
});

/** Replaces the content; sections stay open or closed, the page stays where it was. */
function draw(markup: string): void {
  if (!main) {
    return;
  }
  const top = document.documentElement.scrollTop;
  // The extension escapes everything that it did not write itself (html.ts), and
  // the content security policy runs no script of this markup.
  main.innerHTML = markup;
  for (const details of main.querySelectorAll<HTMLDetailsElement>("details[data-key]")) {
    const was = opened[details.dataset["key"] ?? ""];
    if (was !== undefined) {
      details.open = was;
    }
  }
  document.documentElement.scrollTop = top;
}

function fillNamespaces(options: { value: string; label: string }[], selected: string): void {
  const select = document.getElementById("namespace");
  if (!(select instanceof HTMLSelectElement)) {
    return;
  }
  while (select.options.length > 1) {
    select.remove(1);
  }
  for (const o of options) {
    select.add(new Option(o.label, o.value, false, o.value === selected));
  }
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-do],[data-open],[data-file]") : null;
  if (!target) {
    return;
  }
  event.preventDefault();
  const { do: action, open, line, character, file, tool } = target.dataset;
  host.postMessage({ type: "click", do: action, open, line, character, file, tool });
});

// "toggle" does not bubble, but it can be captured. Opening a section by drawing
// it anew also fires it, with the state that is already known.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (details instanceof HTMLDetailsElement && details.dataset["key"] !== undefined) {
      opened[details.dataset["key"]] = details.open;
      host.setState(opened);
    }
  },
  true,
);

document.addEventListener("input", (event) => {
  const slider = event.target;
  if (slider instanceof HTMLInputElement && slider.id === "budget") {
    const values = (slider.dataset["values"] ?? "").split(",").map(Number);
    const tokens = values[Number(slider.value)] ?? 0;
    const shown = document.getElementById("budget-value");
    if (shown) {
      shown.textContent = `${tokens.toLocaleString("en-US")} tokens`;
    }
    host.postMessage({ type: "budget", tokens });
  }
});

document.addEventListener("change", (event) => {
  const select = event.target;
  if (select instanceof HTMLSelectElement && select.id === "namespace") {
    host.postMessage({ type: "namespace", namespace: select.value });
  }
});

host.postMessage({ type: "ready" });
