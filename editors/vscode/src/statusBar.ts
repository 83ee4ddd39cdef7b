// The status bar item, and the menu behind it.

import * as vscode from "vscode";
import type { Runner } from "./run";
import type { Server } from "./server";
import type { Servers } from "./servers";
import { status } from "./statusText";
import type { WaitingList } from "./waiting";
import { waitingWords } from "./permissionText";

/** Shows the state. Its id is "codemode.status", which tests rely on. */
export function createStatusBar(server: Server, servers: Servers, runner: Runner, waiting: WaitingList): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("codemode.status", vscode.StatusBarAlignment.Right, 100);
  item.name = "Code Mode";
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
  const requests = vscode.window.createStatusBarItem("codemode.waiting", vscode.StatusBarAlignment.Right, 101);
  requests.name = "Code Mode: Waiting for You";
  requests.command = "codemode.reviewWaiting";
  requests.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  return vscode.Disposable.from(
    item,
    requests,
    waiting.onDidChange((n) => {
      requests.text = `$(bell-dot) ${n} waiting`;
      requests.tooltip = waitingWords(n);
      requests.accessibilityInformation = { label: waitingWords(n) };
      if (n > 0) {
        requests.show();
      } else {
        requests.hide();
      }
    }),
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
    { label: "$(new-file) New Exec script", command: "codemode.newScript" },
    { label: "$(add) Add MCP server…", command: "codemode.addServer" },
    { label: "$(book) Show catalog", command: "codemode.showCatalog" },
    { label: "$(history) Show runs", command: "codemode.showResult" },
    { label: "$(law) Show permission rules", command: "codemode.rules.focus" },
    { label: "$(server) Show MCP servers", command: "codemode.servers.focus" },
    { label: "$(shield) Review what waits for you", command: "codemode.reviewWaiting" },
    { label: "$(debug-restart) Restart language server", command: "codemode.restart" },
    { label: "$(list-flat) Show output of the language server", command: "codemode.showOutput" },
  ];
  const picked = await vscode.window.showQuickPick(entries, { title: "Code Mode" });
  if (picked) {
    await vscode.commands.executeCommand(picked.command);
  }
}
