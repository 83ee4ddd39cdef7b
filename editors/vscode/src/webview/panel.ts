// The script of the runs panel. It draws what the extension sends and reports
// clicks; it decides nothing.

import { host, noteOpened, opened } from "./host";
import { morph } from "./morph";
import { showValue } from "./value";

type Incoming = { type: "view"; list: string; html: string } | { type: "value"; run: string; value: unknown };

const list = document.getElementById("runs");
const main = document.getElementById("main");
/** The newest value, for when its place is drawn anew. */
let value: { run: string; value: unknown } | undefined;

window.addEventListener("message", (event: MessageEvent<Incoming>) => {
  const message = event.data;
  if (message.type === "value") {
    value = { run: message.run, value: message.value };
    drawValue(true);
    return;
  }
  if (!main || !list) {
    return;
  }
  const before = new Set([...main.querySelectorAll<HTMLElement>("details[data-key]")].map((d) => d.dataset["key"]));
  morph(list, message.list);
  morph(main, message.html);
  // What is new is as the person left it when it was there before, or as its kind is by default.
  for (const details of main.querySelectorAll<HTMLDetailsElement>("details[data-key]")) {
    const key = details.dataset["key"] ?? "";
    const was = opened[key] ?? opened[kind(key)];
    if (was !== undefined && !before.has(key)) {
      details.open = was;
    }
  }
  // The style attribute is closed to markup by the content security policy.
  for (const segment of main.querySelectorAll<HTMLElement>("[data-left]")) {
    segment.style.left = `${segment.dataset["left"] ?? "0"}%`;
    segment.style.width = `${segment.dataset["width"] ?? "0"}%`;
  }
  drawValue(false);
});

/** "value" of "value 1234": sections stay open or closed from run to run. */
function kind(key: string): string {
  return key.split(" ")[0] ?? key;
}

function drawValue(again: boolean): void {
  const place = document.getElementById("value");
  if (!place || !value || place.dataset["valueOf"] !== value.run || (!again && place.childElementCount > 0)) {
    return;
  }
  showValue(place, value.value, {
    send: (action) => {
      host.postMessage({ type: "click", do: action });
    },
  });
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-do],[data-open],[data-file],[data-show],[data-fold]") : null;
  if (!target) {
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
  const { do: action, open, line, character, file, tool, show, run } = target.dataset;
  host.postMessage({ type: "click", do: action, open, line, character, file, tool, show, run });
});

noteOpened((key, details) => (details.classList.contains("section") ? kind(key) : key));

host.postMessage({ type: "ready" });
