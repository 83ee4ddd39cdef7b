// Draws terminal.svg: what the program prints in a real terminal, tmux's.
//   node docs/images/terminal.mjs CODEMODE-LS
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const program = path.resolve(process.argv[2]);
const columns = 104;
const commands = ["codemode-ls check typo.exec.ts", "cat report.exec.ts", "codemode-ls run report.exec.ts"];
const work = fs.mkdtempSync(path.join(os.tmpdir(), "codemode-ls-terminal-"));
const script = `const { issues } = await tools.mcp__demo__list_issues({ state: "open" });
const [busiest] = issues.sort((a, b) => b.comments - a.comments);
return { open: issues.length, busiest: busiest.title };
`;
fs.writeFileSync(path.join(work, "report.exec.ts"), script);
fs.writeFileSync(path.join(work, "typo.exec.ts"), script.replace("busiest.title", "busiest.tilte"));
fs.symlinkSync(program, path.join(work, "codemode-ls"));

const tmux = (...args) => execFileSync("tmux", ["-L", path.basename(work), ...args], { cwd: work, encoding: "utf8" });
const screen = () => tmux("capture-pane", "-e", "-p", "-t", "t");
async function until(seen) {
  for (let i = 0; i < 300; i++, await sleep(100)) if (seen()) return;
  throw new Error(`not seen:\n${screen()}`);
}

let text;
try {
  tmux("-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", "40", "-s", "t", `env -i HOME='${work}' PATH='${work}':/usr/bin:/bin TERM=screen-256color LANG=C.UTF-8 PS1='$ ' bash --norc`);
  const prompts = () => screen().split("\n").filter((line) => line === "$").length;
  await until(() => prompts() === 1);
  for (const command of commands) {
    tmux("send-keys", "-t", "t", command, "Enter");
    await until(() => screen().includes(`$ ${command}`) && prompts() === 1);
  }
  text = screen();
} finally {
  tmux("kill-server");
  fs.rmSync(work, { recursive: true });
}

const colors = { 31: "#f85149", 32: "#3fb950", 33: "#d29922", 34: "#58a6ff", 35: "#bc8cff", 36: "#39c5cf", 90: "#8b949e" };
const escape = (s) => s.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const lines = text.trimEnd().split("\n").slice(0, -1); // without the last prompt
const width = 8.4, height = 19;
let style = {};
const rows = lines.map((line, row) => {
  const spans = line.split(/(\x1b\[[\d;]*m)/).map((part) => {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part);
    if (!codes) return part && `<tspan fill="${style.color ?? "#e6edf3"}"${style.bold ? ' font-weight="bold"' : ""}>${escape(part)}</tspan>`;
    for (const code of codes[1].split(";").map(Number)) {
      if (code === 0) style = {};
      else if (code === 1) style.bold = true;
      else if (code === 2) style.color = colors[90];
      else if (code === 22) style.bold = false;
      else if (code === 39) style.color = undefined;
      else if (colors[code]) style.color = colors[code];
    }
    return "";
  });
  return `<text x="16" y="${28 + row * height}" xml:space="preserve">${spans.join("")}</text>`;
});
const w = Math.round(columns * width + 32), h = lines.length * height + 32;
fs.writeFileSync(path.join(import.meta.dirname, "terminal.svg"), `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>codemode-ls in a terminal: a typo is reported by check, then the script is run</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join("\n")}
</svg>
`);
