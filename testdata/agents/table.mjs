// Writes the table of docs/agents.md anew, from ROWS and CONFORMANCE.
import { readFileSync, writeFileSync } from "node:fs";
const file = process.argv[2], mark = "<!-- generated: testdata/agents/run -->", end = "<!-- end of generated -->";
const text = readFileSync(file, "utf8");
const conformance = (process.env.CONFORMANCE || "").trim().replace(/;$/, "");
const table = `| agent | offered | catalog shown | allowed call made | refused call explained |\n| --- | --- | --- | --- | --- |\n${process.env.ROWS}` +
  (conformance ? `\nServer scenarios of @modelcontextprotocol/conformance: ${conformance}.\n` : "");
const from = text.indexOf(mark), to = text.indexOf(end);
if (from < 0 || to < from) throw new Error(`${file} has no generated part`);
writeFileSync(file, text.slice(0, from + mark.length) + "\n\n" + table + "\n" + text.slice(to));
