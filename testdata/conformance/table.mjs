// table.mjs SUMMARY BASELINE PAGE VERSION writes the table of docs/conformance.md from the suite's summary. The reason of an
// exception is the comment before it in the baseline.
import { readFileSync, writeFileSync } from "node:fs";

const [summary, baseline, page, version] = process.argv.slice(2);
const reasons = new Map();
let comment = [];
for (const line of readFileSync(baseline, "utf8").split("\n")) {
  const text = /^\s*#\s?(.*)$/.exec(line);
  const entry = /^\s*-\s+(\S+)\s*$/.exec(line);
  if (text) comment.push(text[1]);
  if (entry) reasons.set(entry[1], comment.join(" "));
  if (!text) comment = [];
}
const rows = [...readFileSync(summary, "utf8").matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?$/gm)].map(
  ([, name, passed, failed, warnings]) => {
    const good = failed === "0" && warnings === undefined;
    const result = good ? "passed" : reasons.has(name) ? "exception" : "**failed**";
    return `| \`${name}\` | ${result} | ${passed} | ${good ? "" : (reasons.get(name) ?? "")} |`;
  },
);
if (rows.length === 0) throw new Error(`no scenario in ${summary}`);

const begin = "<!-- generated: testdata/conformance/run -->";
const end = "<!-- /generated -->";
const text = readFileSync(page, "utf8");
const [before] = text.split(begin);
const [, after] = text.split(end);
writeFileSync(
  page,
  `${before}${begin}\n\n@modelcontextprotocol/conformance ${version}, ${rows.length} client scenarios.\n\n` +
    `| scenario | result | checks passed | why not |\n| --- | --- | ---: | --- |\n${rows.join("\n")}\n\n${end}${after}`,
);
