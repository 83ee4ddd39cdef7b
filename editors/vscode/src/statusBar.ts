// The status bar item, and the menu behind it.

import * as vscode from "vscode";
import type { Runner } from "./run";
import type { Server } from "./server";
import type { Servers } from "./servers";
import { status } from "./statusText";

/** Shows the state. Its id is "codemode.status", which tests rely on. */
export function createStatusBar(server: Server, servers: Servers, runner: Runner): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("codemode.status", vscode.StatusBarAlignment.Right, 100);
  item.name = "Codemode";
  item.command = "codemode.showMenu";
  let runs = 0;
  const draw = (): void => {
    const now = status(server.state, server.error, servers.all, runs);
    item.text = now.text;
    item.tooltip = now.tooltip;
    item.backgroundColor = now.level === "normal" ? undefined : new vscode.ThemeColor(`statusBarItem.${now.level}Background`);
  };
  draw();
  item.show();
  return vscode.Disposable.from(
    item,
    server.onDidChange(draw),
    servers.onDidChange(draw),
    runner.onDidChange((n) => {
      runs = n;
      draw();
    }),
  );
}

/** What a person can do from the status bar. */
export async function showMenu(): Promise<void> {
  const entries: { label: string; command: string }[] = [
    { label: "$(book) Show catalog", command: "codemode.showCatalog" },
    { label: "$(output) Show result", command: "codemode.showResult" },
    { label: "$(server) Show MCP servers", command: "codemode.servers.focus" },
    { label: "$(shield) Review servers that wait for approval", command: "codemode.reviewServers" },
    { label: "$(debug-restart) Restart language server", command: "codemode.restart" },
    { label: "$(list-flat) Show output", command: "codemode.showOutput" },
  ];
  const picked = await vscode.window.showQuickPick(entries, { title: "Codemode" });
  if (picked) {
    await vscode.commands.executeCommand(picked.command);
  }
}
