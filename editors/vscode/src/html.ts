// HTML for the panels. Names, descriptions, arguments and results come from MCP
// servers and scripts, which nobody vouches for: the only way to put a string
// into markup is the tag below, and it escapes.

/** HTML that is already safe. */
export class Markup {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export type Part = string | number | Markup | undefined | false | readonly Part[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as HTML text or attribute value. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => entities[c] ?? c);
}

/** A template tag: what is interpolated is escaped, unless it is Markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  let out = strings[0] ?? "";
  parts.forEach((part, i) => {
    out += render(part) + (strings[i + 1] ?? "");
  });
  return new Markup(out);
}

function render(part: Part): string {
  if (part === undefined || part === false) {
    return "";
  }
  if (part instanceof Markup) {
    return part.text;
  }
  if (typeof part === "string" || typeof part === "number") {
    return escape(String(part));
  }
  return part.map(render).join("");
}

/** A whole page for a webview: nothing remote, scripts only with this nonce. */
export function page(o: { title: string; nonce: string; cspSource: string; style: string; script: string; body: Markup }): string {
  const csp = [
    "default-src 'none'",
    `style-src ${o.cspSource}`,
    `font-src ${o.cspSource}`,
    "img-src data:",
    `script-src 'nonce-${o.nonce}'`,
  ].join("; ");
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${o.title}</title>
<link rel="stylesheet" href="${o.style}">
</head>
<body>
${o.body}
<script nonce="${o.nonce}" src="${o.script}"></script>
</body>
</html>`.text;
}

/** A part that is out of view until its button is pressed; the button names its length. */
export function fold(what: string, hidden: Markup): Markup {
  return html`<button class="fold" data-fold aria-expanded="false" title="Show the rest">… ${what} …</button><span class="folded" hidden>${hidden}</span>`;
}

const foldedBeyond = 600;
const foldedHead = 400;
const foldedTail = 160;

/** A text whose middle is folded when it is long: its end is as much in view as its beginning. */
export function foldText(text: string): Markup {
  if (text.length <= foldedBeyond) {
    return html`${text}`;
  }
  const hidden = text.slice(foldedHead, -foldedTail);
  return html`${text.slice(0, foldedHead)}${fold(`${hidden.length.toLocaleString("en-US")} more characters`, html`${hidden}`)}${text.slice(-foldedTail)}`;
}
