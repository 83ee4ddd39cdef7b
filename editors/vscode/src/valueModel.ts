// What a returned value is made of, for its views and files. Pure.

const maxColumns = 40;

/** A list of at least one record, and of nothing else. */
export function isTable(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === "object" && v !== null && !Array.isArray(v));
}

/** The names of the fields, in the order in which they first occur. */
export function tableColumns(rows: readonly Record<string, unknown>[], max = maxColumns): string[] {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) {
      names.add(name);
    }
    if (names.size > max) {
      break;
    }
  }
  return [...names].slice(0, max);
}

/** A value as JSON on one line, no longer than max; it reads no more of it than it needs. */
export function flatten(value: unknown, max = 2000): string {
  let out = "";
  const write = (v: unknown, depth: number): void => {
    if (out.length >= max) {
      return;
    }
    if (typeof v === "string") {
      out += depth === 0 ? v.slice(0, max) : JSON.stringify(v.slice(0, max));
    } else if (v === null || typeof v !== "object") {
      out += String(v);
    } else if (Array.isArray(v)) {
      out += "[";
      for (let i = 0; i < v.length && out.length < max; i++) {
        out += i > 0 ? ", " : "";
        write(v[i], depth + 1);
      }
      out += "]";
    } else {
      out += "{";
      let first = true;
      for (const [k, member] of Object.entries(v)) {
        if (out.length >= max) {
          break;
        }
        out += `${first ? "" : ", "}${k}: `;
        first = false;
        write(member, depth + 1);
      }
      out += "}";
    }
  };
  write(value, 0);
  return out.length > max ? out.slice(0, max - 1) + "…" : out;
}

export interface Hit {
  path: string;
  value: unknown;
}

/** Where a text occurs among names and values. */
export function searchValue(value: unknown, text: string, max: number): Hit[] {
  const hits: Hit[] = [];
  const wanted = text.toLowerCase();
  const visit = (v: unknown, path: string, name: string): void => {
    if (hits.length >= max) {
      return;
    }
    const container = typeof v === "object" && v !== null;
    if (name.toLowerCase().includes(wanted) || (!container && (typeof v === "string" ? v : JSON.stringify(v)).toLowerCase().includes(wanted))) {
      hits.push({ path: path === "" ? "value" : path, value: v });
    }
    if (Array.isArray(v)) {
      v.forEach((member, i) => {
        visit(member, `${path}[${i}]`, "");
      });
    } else if (container) {
      for (const [k, member] of Object.entries(v)) {
        visit(member, /^[A-Za-z_$][\w$]*$/.test(k) ? (path === "" ? k : `${path}.${k}`) : `${path}[${JSON.stringify(k)}]`, k);
      }
    }
  };
  visit(value, "", "");
  return hits;
}

/** A list of records as CSV (RFC 4180). A spreadsheet must not take a cell for a formula. */
export function csv(rows: readonly Record<string, unknown>[]): string {
  const columns = tableColumns(rows, 10_000);
  const cell = (v: unknown): string => {
    let text = v === undefined || v === null ? "" : typeof v === "object" ? JSON.stringify(v) : typeof v === "string" ? v : JSON.stringify(v);
    if (typeof v === "string" && /^[=+\-@\t\r]/.test(text)) {
      text = `'${text}`;
    }
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((r) => columns.map((c) => r[c]))].map((r) => r.map(cell).join(",")).join("\r\n") + "\r\n";
}
