import assert from "node:assert/strict";
import { test } from "node:test";
import { escape, html, page } from "../src/html";

test("TRUST-2: what is interpolated is escaped, markup is not", () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  assert.equal(html`<p>${hostile}</p>`.text, "<p>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</p>");
  assert.equal(html`<p>${html`<b>${"<"}</b>`}${[html`<i>1</i>`, "<", 2]}${undefined}${false}</p>`.text, "<p><b>&lt;</b><i>1</i>&lt;2</p>");
  assert.equal(escape(`"'`), "&quot;&#39;");
});

test("VSC-7: a page allows no remote content and no script but its own", () => {
  const text = page({ title: "t", nonce: "n0nce", cspSource: "vscode-resource:", style: "s.css", script: "s.js", body: html`<main></main>` });
  const csp = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
  assert.equal(csp, "default-src &#39;none&#39;; style-src vscode-resource:; font-src vscode-resource:; img-src data:; script-src &#39;nonce-n0nce&#39;");
  assert.equal(text.match(/<script/g)?.length, 1);
  assert.match(text, /<script nonce="n0nce" src="s.js">/);
});
