// Entry point: puts the features together. Each is in a file of its own.

import * as vscode from "vscode";
import { offerToAgents } from "./agents";
import { Audit } from "./audit";
import { CassetteTests } from "./cassetteTests";
import { CatalogPanel } from "./catalogPanel";
import { insertCall } from "./insertCall";
import { addServer, newScript, tryDemo } from "./newcomer";
import type { PermissionRule } from "./protocol";
import { ReadOnlyDocuments } from "./readOnly";
import { Runner, scriptUri } from "./run";
import { RunsPanel } from "./runsPanel";
import { Server } from "./server";
import { Rules } from "./rules";
import { Servers, type Row } from "./servers";
import { createStatusBar, showMenu } from "./statusBar";
import { WaitingList } from "./waiting";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const server_ = new Server(context, (command, args: unknown[], next) => {
    // Lenses name commands of the server, so that any client can run them. Those
    // that have something to show are done here.
    switch (command) {
      case "codemode.run":
        return runner.run(args[0], false, args[1]);
      case "codemode.dryRun":
        return runner.run(args[0], true, args[1]);
      case "codemode.showRun":
        return runner.showRun(args[0]);
      case "codemode.setPermission":
        // A quick fix sets a rule at once: that is said, with the way back.
        return Promise.resolve(next(command, args) as unknown).then((done) => {
          void rules.didSet(args);
          return done;
        });
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
  const servers = new Servers(server_, waiting, documents);
  const rules = new Rules(server_);
  const audit = new Audit(server_);
  const tests = new CassetteTests(server_, runner);
  for (const feature of [runner, catalogPanel, waiting, servers, rules, audit]) {
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
    rules,
    audit,
    tests,
    // A run that has ended has made decisions.
    runner.onDidChange(() => {
      audit.refresh();
    }),
    offerToAgents(server_, runner),
    vscode.window.registerTreeDataProvider("codemode.servers", servers),
    vscode.window.registerTreeDataProvider("codemode.rules", rules),
    vscode.window.registerTreeDataProvider("codemode.audit", audit),
    command("codemode.runScript", (target?: unknown) => runner.run(target, false)),
    command("codemode.dryRunScript", (target?: unknown) => runner.run(target, true)),
    command("codemode.recordScript", (target?: unknown) => {
      const script = scriptUri(target);
      return script ? tests.record(script) : undefined;
    }),
    command("codemode.runAgain", () => {
      const run = resultPanel.current;
      return run ? runner.again(run, run.dryRun) : undefined;
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
    command("codemode.forgetSessionRules", async () => {
      await server_.execute("codemode.clearRules");
      rules.refresh();
      void vscode.window.showInformationMessage("Removed the permission rules of this session. Rules in files are unchanged.");
    }),
    command("codemode.reviewServers", () => servers.review()),
    command("codemode.servers.approve", () => servers.review()),
    command("codemode.reviewWaiting", () => waiting.focus()),
    command("codemode.restartMcpServer", (row?: Row) => servers.restart(row)),
    command("codemode.showServerErrors", (row?: Row) => servers.showLog(row)),
    command("codemode.showServerDefinition", (row?: Row) => servers.showDefinition(row)),
    command("codemode.signIn", (row?: Row) => servers.signIn(row)),
    command("codemode.showTool", (target: string | Row) => {
      catalogPanel.show(typeof target === "string" ? target : target.tool?.name);
    }),
    command("codemode.insertToolCall", (row: Row) => (row.tool ? insertCall(server_, row.tool.name) : undefined)),
    command("codemode.newScript", () => newScript(servers.firstTool)),
    command("codemode.tryDemo", () => tryDemo()),
    command("codemode.addServer", () => addServer()),
    command("codemode.openWalkthrough", () => vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`)),
    command("codemode.addRule", () => rules.add()),
    command("codemode.removeRule", (r: PermissionRule) => rules.remove(r)),
    command("codemode.refreshAudit", () => {
      audit.refresh();
    }),
    command("codemode.refreshRules", () => {
      rules.refresh();
    }),
    catalogPanel.onDidTry(({ name, args }) => runner.tryTool(name, args)),
    resultPanel.onDidAsk(({ action, run }) => {
      switch (action) {
        case "stop":
          runner.stop(run);
          break;
        case "run":
        case "dryRun":
          void (run ? runner.again(run, action === "dryRun") : runner.run(undefined, action === "dryRun"));
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
    vscode.workspace.onDidGrantWorkspaceTrust(() => server_.restart()),
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
