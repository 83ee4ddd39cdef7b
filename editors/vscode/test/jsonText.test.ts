import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { indentedJson, jsonMarkup, jsonPreview } from "../src/jsonText";

/** The words of a piece of markup, without its buttons. */
const words = (text: string): string =>
  jsonMarkup(text)
    .text.replace(/<button[^>]*>.*?<\/button>/g, "")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");

describe("PERM-5: what is shown is what is sent", () => {
  const text = '{"z":12345678901234567890,"a":1.0,"a":[],"10":{"2":-0,"1":1e3},"s":"a\\nb, {c}: [d]","e":{},"l":[1,"two",null,[true]]}';

  it("in its order, with every digit, comma and doubled name", () => {
    assert.equal(
      indentedJson(text),
      `{
  "z": 12345678901234567890,
  "a": 1.0,
  "a": [],
  "10": {
    "2": -0,
    "1": 1e3
  },
  "s": "a\\nb, {c}: [d]",
  "e": {},
  "l": [
    1,
    "two",
    null,
    [
      true
    ]
  ]
}`,
    );
    assert.equal(words(text), indentedJson(text));
    assert.equal(indentedJson(text).replace(/\n */g, "").replaceAll('": ', '":'), text);
  });

  it("without tricks", () => {
    assert.equal(indentedJson('{"p":"/etc/\u202egnp.exe"}'), '{\n  "p": "/etc/\\u202egnp.exe"\n}');
    assert.doesNotMatch(jsonMarkup('{"<img src=x>":"</pre><script>"}').text, /<img|<script/);
  });

  it("also when it is no JSON", () => {
    assert.match(words('{"a": oops "never ends'), /oops.*never ends/s);
  });
});

describe("PERM-15: long values are folded with their length, and nothing is lost", () => {
  it("head and tail of a long string are in view", () => {
    const text = JSON.stringify({ command: `echo ${"x".repeat(5000)}; rm -rf ~`, next: 1 });
    const markup = jsonMarkup(text).text;
    assert.match(markup, /… 4,6\d\d more characters …/);
    const shown = markup.replace(/<span class="folded" hidden>.*?<\/span><\/span>/gs, "").replace(/<[^>]*>/g, "");
    assert.match(shown, /echo x+/);
    assert.match(shown, /rm -rf ~/);
    assert.match(shown, /next/);
    assert.ok(shown.length < 1000, shown);
    assert.equal(words(text), indentedJson(text));
  });

  it("the middle of a long list", () => {
    const text = JSON.stringify({ list: Array.from({ length: 500 }, (_, i) => i), last: true });
    assert.match(jsonMarkup(text).text, /… \d+ more lines …/);
    assert.equal(words(text).replaceAll(/\s/g, ""), indentedJson(text).replaceAll(/\s/g, ""));
    const shown = jsonMarkup(text).text.replace(/<span class="folded" hidden>.*<\/span><\/span>\n/s, "");
    assert.match(shown, /last/);
  });
});

it("a row shows the arguments on one line", () => {
  assert.equal(jsonPreview('{ "a": 1,\n "b": "x y" }'), '"a":1,"b":"x y"');
  assert.equal(jsonPreview(JSON.stringify({ a: "x".repeat(500) })).length, 120);
});
