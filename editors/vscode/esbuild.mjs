// Bundles the extension and its panels' script; with --tests also the unit tests.
import { build } from "esbuild";
import { readdirSync } from "node:fs";

const common = { bundle: true, logLevel: "warning", outdir: "out", target: "node20", sourcemap: true };

await build({
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  minify: true,
});
await build({
  ...common,
  entryPoints: { panel: "src/webview/panel.ts", catalog: "src/webview/catalog.ts", waiting: "src/webview/waiting.ts" },
  platform: "browser",
  target: "es2023",
  format: "iife",
  minify: true,
});
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
