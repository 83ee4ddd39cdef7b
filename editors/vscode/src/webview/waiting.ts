// The script inside the list of what waits for a person. It draws what the
// extension sends and reports decisions; it grants nothing by itself.
//
// No key and no click that was meant for something else may decide (VSC-3):
//   - nothing here ever takes the focus, unless the person ran the command for it;
//   - a button rests until the list has been in view, and has not moved, for a
//     moment; the first letter of prose that lands here lets all of them rest anew;
//   - keys decide only after the person has come here by the command or by a click.

import { host } from "./host";
import { morph } from "./morph";

type Incoming = { type: "view"; html: string } | { type: "focus" };

/** How long the list has to be in view as it is before a button decides. */
const restMs = 1000;

/** What the workbench does with the focus around a command has been done by then. */
const settleMs = 250;

/** A focus and a press that are no further apart are one click. */
const sameGestureMs = 50;

const main = document.getElementById("main") ?? document.body;
/** When something last happened that an answer has to wait after. */
let restSince = performance.now();
/** The person has come here on purpose; ends when the window loses the focus. */
let cameHere = false;
/** The person came here before the first card did. */
let focusAwaited = false;
let wake: ReturnType<typeof setTimeout> | undefined;

function rest(): void {
  restSince = performance.now();
  showRest();
  clearTimeout(wake);
  wake = setTimeout(showRest, restMs + 10);
}

function rested(): boolean {
  return document.visibilityState === "visible" && performance.now() - restSince >= restMs;
}

function showRest(): void {
  for (const b of main.querySelectorAll<HTMLElement>("[data-decide]")) {
    b.toggleAttribute("data-resting", !rested());
  }
}

window.addEventListener("message", (event: MessageEvent<Incoming>) => {
  if (event.data.type === "focus") {
    cameHere = true;
    rest();
    focusFirst();
    focusAwaited = document.activeElement === main;
    setTimeout(() => {
      host.postMessage({ type: document.hasFocus() ? "focused" : "unfocused" });
    }, settleMs);
    return;
  }
  const cards = (): string => [...main.querySelectorAll<HTMLElement>("[data-card]")].map((c) => c.outerHTML.replace(/ data-resting=""/g, "")).join("\n");
  const before = cards();
  const focused = document.activeElement?.closest<HTMLElement>("[data-card]")?.dataset["key"];
  morph(main, event.data.html);
  // What comes below moves nothing above it.
  if (before === "" || !cards().startsWith(before)) {
    rest();
  } else {
    showRest();
  }
  if (focused !== undefined && !main.querySelector(`[data-key="${CSS.escape(focused)}"]`)) {
    // The card that had the focus is gone: the next one gets it, none of its buttons.
    main.querySelector<HTMLElement>("[data-card]")?.focus();
  } else if (focusAwaited && main.querySelector("[data-card]")) {
    focusAwaited = false;
    focusFirst();
  }
});

/** The first card's first button, which grants nothing. */
function focusFirst(): void {
  (main.querySelector<HTMLElement>("[data-card] [data-decide]") ?? main).focus();
}

document.addEventListener("visibilitychange", rest);
window.addEventListener("blur", () => {
  cameHere = false;
  focusAwaited = false;
  rest();
});
// A click that brings the focus with it is meant for what it hits, which was in view before: it decides. Browsers differ in
// which of the two they report first.
let pressing = false;
let beforeFocus = { at: -Infinity, restSince };
window.addEventListener("focus", () => {
  if (!pressing) {
    beforeFocus = { at: performance.now(), restSince };
    rest();
  }
});
document.addEventListener("pointerdown", () => {
  cameHere = true;
  pressing = true;
  if (performance.now() - beforeFocus.at < sameGestureMs) {
    restSince = beforeFocus.restSince;
    showRest();
  }
});
for (const ended of ["pointerup", "pointercancel"]) {
  document.addEventListener(ended, () => {
    pressing = false;
  });
}

document.addEventListener("keydown", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-decide]") : null;
  if (event.key === "Enter" || event.key === " ") {
    if (button && (event.repeat || !cameHere || !rested())) {
      event.preventDefault();
    }
    return;
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    move(event.key === "ArrowDown" ? 1 : -1, event);
    return;
  }
  if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
    rest(); // somebody is writing, and does not know where
  }
});

/** Between cards by the arrow keys. */
function move(by: number, event: KeyboardEvent): void {
  const cards = [...main.querySelectorAll<HTMLElement>("[data-card]")];
  const at = cards.findIndex((c) => c.contains(document.activeElement));
  const next = cards[at + by];
  if (at >= 0 && next && !(event.target instanceof Element && event.target.matches("pre"))) {
    event.preventDefault();
    next.focus();
  }
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-decide],[data-open],[data-fold]") : null;
  if (!target) {
    return;
  }
  event.preventDefault();
  const { decide, open, line, character } = target.dataset;
  if (target.hasAttribute("data-fold")) {
    target.hidden = true;
    const after = target.nextElementSibling;
    if (after instanceof HTMLElement) {
      after.hidden = false;
    }
    rest();
    return;
  }
  if (open !== undefined) {
    host.postMessage({ type: "open", open, line, character });
    return;
  }
  const key = target.closest<HTMLElement>("[data-card]")?.dataset["key"];
  if (!event.isTrusted || !rested() || !cameHere || key === undefined) {
    return;
  }
  host.postMessage({ type: "decide", key, decide });
  rest();
});

// What is opened moves what is below it.
document.addEventListener("toggle", rest, true);

host.postMessage({ type: "ready" });
