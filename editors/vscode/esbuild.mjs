// Bundles the extension and its panels' script; with --tests also the unit tests.
import { build } from "esbuild";
import { appendFileSync, readFileSync, readdirSync } from "node:fs";

const common = { bundle: true, metafile: true, logLevel: "warning", outdir: "out", target: "node20", sourcemap: true };

const extension = await build({
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  minify: true,
});
const panels = await build({
  ...common,
  entryPoints: { panel: "src/webview/panel.ts", catalog: "src/webview/catalog.ts", waiting: "src/webview/waiting.ts" },
  platform: "browser",
  target: "es2023",
  format: "iife",
  minify: true,
});
// The licences of the npm packages that are bundled.
if (process.env.LICENCES) {
  const inputs = [extension, panels].flatMap((built) => Object.keys(built.metafile.inputs));
  const folders = new Set(inputs.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean));
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice|third)/i.test(file));
    if (texts.length === 0) throw new Error(`${name} has no licence file`);
    for (const text of texts) {
      appendFileSync("THIRD_PARTY_LICENSES.txt", `\n${"=".repeat(80)}\n${name} ${version}: ${text}\n\n${readFileSync(`${folder}/${text}`, "utf8").trim()}\n`);
    }
  }
}
if (process.argv.includes("--tests")) {
  await build({
    ...common,
    entryPoints: readdirSync("test").filter((f) => f.endsWith(".test.ts")).map((f) => `test/${f}`),
    outdir: "out/test",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    external: ["vscode"],
  });
}
