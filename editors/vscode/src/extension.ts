// Entry point: puts the features together. Each is in a file of its own.

import * as vscode from "vscode";
import { CatalogPanel } from "./catalogPanel";
import type { Server as McpServer } from "./protocol";
import { ReadOnlyDocuments } from "./readOnly";
import { Runner } from "./run";
import { RunsPanel } from "./runsPanel";
import { Server } from "./server";
import { Servers } from "./servers";
import { createStatusBar, showMenu } from "./statusBar";
import { WaitingList } from "./waiting";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const server_ = new Server(context, (command, args: unknown[], next) => {
    // Lenses name commands of the server, so that any client can run them. Those
    // that have something to show are done here.
    switch (command) {
      case "codemode.run":
        return runner.run(args[0], false);
      case "codemode.dryRun":
        return runner.run(args[0], true);
      case "codemode.showRun":
        return runner.showRun(args[0]);
      case "codemode.openCatalog":
        catalogPanel.show();
        return undefined;
      default:
        return next(command, args) as unknown;
    }
  });
  server = server_;
  const documents = new ReadOnlyDocuments();
  const resultPanel = new RunsPanel(context, documents, () => server_.running);
  const waiting = new WaitingList(context);
  const runner = new Runner(server_, resultPanel, waiting);
  const catalogPanel = new CatalogPanel(context, server_);
  const servers = new Servers(server_, waiting);
  for (const feature of [runner, catalogPanel, waiting, servers]) {
    server_.add(feature);
  }

  const command = (id: string, run: (...args: never[]) => unknown): vscode.Disposable => vscode.commands.registerCommand(id, run);
  context.subscriptions.push(
    server_,
    documents,
    resultPanel,
    runner,
    catalogPanel,
    waiting,
    servers,
    createStatusBar(server_, servers, runner, waiting),
    vscode.window.registerTreeDataProvider("codemode.servers", servers),
    command("codemode.runScript", (target?: unknown) => runner.run(target, false)),
    command("codemode.dryRunScript", (target?: unknown) => runner.run(target, true)),
    command("codemode.runAgain", () => {
      const run = resultPanel.current;
      return run ? runner.run(run.uri, run.dryRun) : undefined;
    }),
    command("codemode.stopRun", (target?: unknown) => {
      runner.stopScript(target);
    }),
    command("codemode.stopAllRuns", () => {
      runner.stop();
    }),
    command("codemode.showResult", () => {
      resultPanel.show();
    }),
    command("codemode.showCatalog", () => {
      catalogPanel.show();
    }),
    command("codemode.restart", () => server_.restart()),
    command("codemode.showOutput", () => {
      server_.showOutput();
    }),
    command("codemode.showMenu", showMenu),
    command("codemode.showTypes", () => server_.execute("codemode.openTypes")),
    command("codemode.forgetSessionRules", () => server_.execute("codemode.clearRules")),
    command("codemode.reviewServers", () => servers.review()),
    command("codemode.servers.approve", () => servers.review()),
    command("codemode.reviewWaiting", () => waiting.focus()),
    command("codemode.restartMcpServer", (s?: McpServer) => servers.restart(s)),
    command("codemode.showServerErrors", (s?: McpServer) => servers.showErrors(s)),
    resultPanel.onDidAsk(({ action, run }) => {
      switch (action) {
        case "stop":
          runner.stop(run);
          break;
        case "run":
        case "dryRun":
          void runner.run(run?.uri, action === "dryRun");
          break;
        case "review":
          void waiting.focus();
          break;
        case "output":
          server_.showOutput();
          break;
        case "newScript":
          void vscode.commands.executeCommand("codemode.newScript");
          break;
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server_.start()),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("codemode.server")) {
        void server_.restart();
      }
    }),
  );
  void server_.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
