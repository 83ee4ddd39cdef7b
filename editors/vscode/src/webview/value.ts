// Draws a returned value in the page: as a tree whose nodes are made when they
// are opened, as a table of virtual rows when it is a list of records, with a
// search. Values are put in by textContent alone: nothing in them is markup.

import { visible } from "../text";
import { flatten, isTable, searchValue, tableColumns, type Hit } from "../valueModel";

type Build = (name: string, className?: string, text?: string) => HTMLElement;

const element: Build = (name, className, text) => {
  const e = document.createElement(name);
  if (className) {
    e.className = className;
  }
  if (text !== undefined) {
    e.textContent = text;
  }
  return e;
};

/** Members of one object or list that are drawn at a time. */
const chunk = 200;
const maxString = 2000;
const rowHeight = 24;

export interface ValueActions {
  send: (action: "copyValue" | "openValue" | "saveJson" | "saveCsv") => void;
}

/** Fills host with the value's view. */
export function showValue(host: HTMLElement, value: unknown, actions: ValueActions): void {
  host.replaceChildren();
  const table = isTable(value);
  let asTable = table;
  const bar = element("div", "value-bar");
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search the value";
  search.setAttribute("aria-label", "Search the value");
  const found = element("span", "dim");
  found.setAttribute("aria-live", "polite");
  const body = element("div", "value-body");
  const button = (label: string, run: () => void): HTMLElement => {
    const b = element("button", "second small", label);
    b.addEventListener("click", run);
    return b;
  };
  bar.append(search);
  if (table) {
    const toggle = button("Tree", () => {
      asTable = !asTable;
      toggle.textContent = asTable ? "Tree" : "Table";
      draw();
    });
    bar.append(toggle);
  }
  bar.append(
    button("Copy", () => {
      actions.send("copyValue");
    }),
    button("Open in editor", () => {
      actions.send("openValue");
    }),
    button("Save…", () => {
      actions.send("saveJson");
    }),
  );
  if (table) {
    bar.append(
      button("Save as CSV…", () => {
        actions.send("saveCsv");
      }),
    );
  }
  bar.append(found);

  const draw = (): void => {
    const query = search.value.trim().toLowerCase();
    body.replaceChildren();
    found.textContent = "";
    if (asTable) {
      const rows = (value as Record<string, unknown>[]).map((row, i) => ({ row, i }));
      const shown = query === "" ? rows : rows.filter(({ row }) => Object.values(row).some((v) => flatten(v).toLowerCase().includes(query)));
      if (query !== "") {
        found.textContent = `${shown.length.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")} rows`;
      }
      body.append(tableOf(tableColumns(value as Record<string, unknown>[]), shown));
    } else if (query !== "") {
      const hits = searchValue(value, query, 300);
      found.textContent = `${hits.length.toLocaleString("en-US")}${hits.length === 300 ? " or more" : ""} found`;
      body.append(hitList(hits));
    } else if (typeof value === "string") {
      body.append(longText(value));
    } else {
      const tree = element("div", "tree");
      tree.append(node(undefined, value, 0));
      body.append(tree);
    }
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, 120);
  });
  host.append(bar, body);
  draw();
}

function longText(text: string): HTMLElement {
  const pre = element("pre", "text");
  let shown = 100_000;
  const fill = (): void => {
    pre.textContent = visible(text.slice(0, shown));
    if (shown < text.length) {
      const more = element("button", "fold", `… ${(text.length - shown).toLocaleString("en-US")} more characters …`);
      more.addEventListener("click", () => {
        shown += 1_000_000;
        fill();
      });
      pre.append(more);
    }
  };
  fill();
  return pre;
}

function scalar(value: unknown): HTMLElement {
  if (typeof value !== "string") {
    return element("span", typeof value === "number" ? "t-number" : "t-type", String(value));
  }
  const span = element("span", "t-string");
  if (value.length <= maxString) {
    span.textContent = visible(JSON.stringify(value));
    return span;
  }
  span.textContent = visible(JSON.stringify(value.slice(0, maxString)).slice(0, -1));
  const more = element("button", "fold", `… ${(value.length - maxString).toLocaleString("en-US")} more characters …`);
  more.addEventListener("click", () => {
    span.textContent = visible(JSON.stringify(value));
  });
  span.append(more);
  return span;
}

function node(key: string | undefined, value: unknown, depth: number): HTMLElement {
  const label = (): Node[] => (key === undefined ? [] : [element("span", "key", visible(key)), element("span", "dim", ": ")]);
  if (value === null || typeof value !== "object") {
    const leaf = element("div", "leaf");
    leaf.append(...label(), scalar(value));
    return leaf;
  }
  const entries: [string, unknown][] = Array.isArray(value) ? value.map((v, i) => [String(i), v]) : Object.entries(value);
  if (entries.length === 0) {
    const leaf = element("div", "leaf");
    leaf.append(...label(), element("span", "dim", Array.isArray(value) ? "[]" : "{}"));
    return leaf;
  }
  const details = document.createElement("details");
  const summary = element("summary");
  summary.append(...label(), element("span", "dim", preview(value)));
  details.append(summary);
  let filled = 0;
  const fill = (): void => {
    details.querySelector(":scope > .fold")?.remove();
    for (const [k, v] of entries.slice(filled, filled + chunk)) {
      details.append(node(k, v, depth + 1));
    }
    filled += chunk;
    if (filled < entries.length) {
      const more = element("button", "fold", `… ${(entries.length - filled).toLocaleString("en-US")} more …`);
      more.addEventListener("click", fill);
      details.append(more);
    }
  };
  details.addEventListener("toggle", () => {
    if (details.open && filled === 0) {
      fill();
    }
  });
  if (depth < 1 || (depth < 2 && entries.length <= 10)) {
    details.open = true;
    fill();
  }
  return details;
}

/** What a closed node says of its content. */
function preview(value: object): string {
  const list = Array.isArray(value);
  const n = list ? value.length : Object.keys(value).length;
  const text = visible(flatten(value, 70));
  return `${list ? `(${n.toLocaleString("en-US")}) ` : ""}${text}`;
}

function hitList(hits: readonly Hit[]): HTMLElement {
  const list = element("div", "tree");
  for (const hit of hits) {
    const leaf = element("div", "leaf");
    leaf.append(element("span", "key", visible(hit.path)), element("span", "dim", ": "), hit.value !== null && typeof hit.value === "object" ? node(undefined, hit.value, 5) : scalar(hit.value));
    list.append(leaf);
  }
  return list;
}

/** A table that has only the rows in view as elements. */
function tableOf(columns: readonly string[], rows: readonly { row: Record<string, unknown>; i: number }[]): HTMLElement {
  const frame = element("div", "table-frame");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", `Table of ${rows.length} rows`);
  const table = element("table");
  const head = element("thead");
  const headRow = element("tr");
  headRow.append(element("th", "row-number", "#"), ...columns.map((c) => element("th", undefined, visible(c))));
  head.append(headRow);
  const before = element("tbody");
  const body = element("tbody");
  const after = element("tbody");
  const spacer = (to: HTMLElement): HTMLElement => {
    const row = element("tr");
    const cell = document.createElement("td");
    cell.colSpan = columns.length + 1;
    cell.className = "spacer";
    row.append(cell);
    to.append(row);
    return cell;
  };
  const top = spacer(before);
  const bottom = spacer(after);
  table.append(head, before, body, after);
  frame.append(table);
  let first = -1;
  const draw = (): void => {
    const from = Math.max(0, Math.floor(frame.scrollTop / rowHeight) - 20);
    if (from === first) {
      return;
    }
    first = from;
    const to = Math.min(rows.length, from + 40 + Math.ceil((frame.clientHeight || 400) / rowHeight));
    top.style.height = `${from * rowHeight}px`;
    bottom.style.height = `${(rows.length - to) * rowHeight}px`;
    body.replaceChildren(
      ...rows.slice(from, to).map(({ row, i }) => {
        const tr = element("tr");
        tr.append(
          element("td", "row-number dim", String(i)),
          ...columns.map((c) => {
            const v = row[c];
            const full = v === undefined ? "" : typeof v === "string" ? v : flatten(v, 300);
            const td = element("td", typeof v === "number" ? "t-number" : undefined, visible(full.slice(0, 300)));
            td.title = visible(full.slice(0, 1000));
            return td;
          }),
        );
        return tr;
      }),
    );
  };
  frame.addEventListener("scroll", () => {
    requestAnimationFrame(draw);
  });
  draw();
  return frame;
}
