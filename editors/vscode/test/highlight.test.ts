import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "../src/highlight";

const catalog = `12 MCP tools on 3 servers can be called from an Exec script.

// Create an issue: <b>"now"</b> & 'then'
tools.mcp__github__create_issue(input: {
  /**
   * Labels to set
   * @minItems 1
   */
  labels?: Array<string>;
  kind: "bug" | 'x' | 3;
}): Promise<{
  number: number;
}>

tools["mcp__ddg-search__search"](input: {
  query: string;
}): Promise<unknown>

PARTIAL: 2 of 12 tools are shown.
- mcp__github (40 tools, 13 shown)
`;

test("VSC-4: the highlighted catalog is exactly the text", () => {
  const plain = (markup: string): string =>
    markup
      .replace(/<[^>]*>/g, "")
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
      .replace(/&amp;/g, "&");
  for (const text of [catalog, "", "/* open", '"open', "// x", "a: <script>alert(1)</script>"]) {
    assert.equal(plain(highlight(text).text), text);
  }
  const markup = highlight(catalog).text;
  assert.match(markup, /<span class="t-tool">mcp__github__create_issue<\/span>/);
  assert.match(markup, /<span class="t-name">labels<\/span>\?/);
  assert.match(markup, /<span class="t-summary">PARTIAL:[^<]*<\/span>/);
  assert.doesNotMatch(markup, /<b>/);
  assert.equal(highlight("This catalog is partial: call").text, "This catalog is partial: call");
});
