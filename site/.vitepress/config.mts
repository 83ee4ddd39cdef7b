// The site is the repository's own Markdown: nothing is written twice, and every
// page also reads well without it.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: "codemode-ls",
  description: "Write, check and run scripts that call MCP tools",
  srcDir: "..",
  srcExclude: ["dist/**", "docs/templates/**", "**/testdata/**", "**/node_modules/**", "editors/vscode/CHANGELOG.md", "editors/vscode/e2e/**", "site/**", ".*/**", "release/**", "examples/**", "sandbox/**", "typescript/**", "catalog/**"],
  cacheDir: "./node_modules/.cache",
  // Pages are outside of this folder, where its packages are not found.
  vite: {
    publicDir: false,
    resolve: { alias: ["vue/server-renderer", "vue"].map((name) => ({ find: new RegExp(`^${name}$`), replacement: fileURLToPath(import.meta.resolve(name)) })) },
  },
  markdown: {
    html: false, // <word> in our documents is text
    config(md) {
      // Braces are text, never a template of Vue.
      for (const rule of ["text", "code_inline"]) {
        const render = md.renderer.rules[rule]!;
        md.renderer.rules[rule] = (...args) => render(...args).replaceAll("{{", "&#123;&#123;");
      }
      // A link to a folder is one to its README, as on a code host.
      const render = md.renderer.rules.link_open ?? ((tokens, i, options, _env, self) => self.renderToken(tokens, i, options));
      md.renderer.rules.link_open = (tokens, i, options, env, self) => {
        const href = tokens[i].attrGet("href") ?? "";
        const from = path.dirname(env.realPath ?? env.path ?? "");
        if (!/^(\w+:|#|\/)/.test(href)) {
          const target = path.resolve(from, decodeURI(href.split("#")[0]));
          if (existsSync(target) && statSync(target).isDirectory() && existsSync(path.join(target, "README.md"))) {
            tokens[i].attrSet("href", href.replace(/\/?$/, "/README.md"));
          }
        }
        return render(tokens, i, options, env, self);
      };
    },
  },
  // Scripts of the benchmarks, which are no pages.
  ignoreDeadLinks: [/^\.\/scripts$/],
  themeConfig: {
    logoLink: "/docs/",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [page("Start", "/docs/start"), page("Agents", "/docs/agents"), page("Settings", "/docs/settings"), page("Changes", "/CHANGELOG")],
    sidebar: [
      { text: "Tutorial", items: [page("Your first script", "/docs/start")] },
      {
        text: "How to",
        items: [
          page("Install it", "/docs/install"),
          page("Update it", "/docs/upgrading"),
          page("Set up VS Code", "/editors/vscode/README"),
          page("Set up Neovim", "/editors/neovim/README"),
          page("Set up JetBrains IDEs", "/editors/jetbrains/README"),
          page("Set up another editor", "/docs/editors/README"),
          page("Give it to an agent", "/docs/agents"),
          page("Connect servers", "/docs/servers"),
          page("Allow and deny calls", "/docs/permissions"),
          page("Take input", "/docs/input"),
          page("Record and test", "/docs/testing"),
          page("Run hooks, keep an audit log", "/docs/hooks"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("The language", "/docs/language"),
          page("Members of tools", "/docs/members"),
          page("Types of results", "/docs/results"),
          page("Settings", "/docs/settings"),
          page("Diagnostics", "/docs/diagnostics"),
          page("Protocol", "/docs/protocol"),
          page("MCP conformance", "/docs/conformance"),
          page("Changelog", "/CHANGELOG"),
        ],
      },
      {
        text: "Explanation",
        items: [
          page("Why Code Mode", "/docs/why"),
          page("What it saves", "/docs/savings"),
          page("Security", "/SECURITY"),
          page("Speed", "/bench/README"),
          page("Architecture", "/docs/architecture"),
          page("Releases and their size", "/docs/releasing"),
          page("Contributing", "/CONTRIBUTING"),
        ],
      },
    ],
  },
});
