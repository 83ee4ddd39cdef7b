// Text of servers and scripts, made fit for a person to judge.

/**
 * Characters that would hide something in a prompt: controls (but tab and
 * newline), zero-width ones, and those that turn the direction of writing.
 */
const deceiving = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/g;

/** The text with deceiving characters written out, such as \u202e. */
export function visible(text: string): string {
  return text.replace(deceiving, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** One line: visible, white space folded, at most max characters. */
export function line(text: string, max = 200): string {
  const flat = visible(text.replace(/\s+/g, " ").trim());
  const chars = Array.from(flat);
  return chars.length <= max ? flat : chars.slice(0, max - 1).join("") + "…";
}

/** "1 call", "2 calls". */
export function count(n: number, noun: string): string {
  return `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
}

/** A duration for people: 340 ms, 2.1 s, 1 min 5 s. */
export function duration(ms: number): string {
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < 60_000) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A size for people, of bytes. */
export function size(bytes: number): string {
  if (bytes < 1024) {
    return count(bytes, "byte");
  }
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** The last part of a path or URI, decoded. */
export function baseName(uri: string): string {
  const last = uri.replace(/[?#].*$/, "").split("/").pop() ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
