// Cassettes in the Test Explorer: a script with a recorded run beside it is a test.
// Whether a replay is what was recorded is decided by `codemode-ls test`.

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { cassetteOf, outcome } from "./cassetteText";
import type { Runner } from "./run";
import type { Server } from "./server";
import { baseName } from "./text";

const pattern = "**/*.cassette.json";

export class CassetteTests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("codemode.cassettes", "Exec Scripts");
  private readonly watcher = vscode.workspace.createFileSystemWatcher(pattern);
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    private readonly server: Server,
    private readonly runner: Runner,
  ) {
    this.controller.resolveHandler = () => this.discover();
    this.controller.refreshHandler = () => this.discover();
    this.controller.createRunProfile("Replay", vscode.TestRunProfileKind.Run, (request, token) => this.each(request, token, (i, run) => this.replay(i, run, token)), true);
    this.controller.createRunProfile("Record Again", vscode.TestRunProfileKind.Run, (request, token) => this.each(request, token, (i, run) => this.recordAgain(i, run, token)));
    this.disposables.push(
      this.watcher,
      this.watcher.onDidCreate((uri) => this.add(uri)),
      this.watcher.onDidDelete((uri) => {
        this.controller.items.delete(uri.toString());
      }),
    );
  }

  /** Runs the script for real and keeps the run beside it, as a test from then on. */
  async record(script: vscode.Uri): Promise<void> {
    if (script.scheme !== "file") {
      void vscode.window.showInformationMessage("Save the script first: its recording is a file beside it.");
      return;
    }
    const cassette = script.with({ path: cassetteOf(script.path) });
    const failure = await this.runner.record(script, cassette);
    if (failure !== undefined) {
      await this.server.explain(new Error(failure));
      return;
    }
    await this.add(cassette);
    const choice = await vscode.window.showInformationMessage(`Recorded ${baseName(cassette.toString())}. The script is a test now.`, "Show Tests");
    if (choice !== undefined) {
      await vscode.commands.executeCommand("workbench.view.testing.focus");
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
    this.controller.dispose();
  }

  private async discover(): Promise<void> {
    const found = await vscode.workspace.findFiles(pattern, "**/node_modules/**");
    this.controller.items.replace([]);
    await Promise.all(found.map((uri) => this.add(uri)));
  }

  private async add(cassette: vscode.Uri): Promise<void> {
    for (const extension of ["ts", "js"]) {
      const script = cassette.with({ path: cassette.path.replace(/\.cassette\.json$/, `.exec.${extension}`) });
      try {
        await vscode.workspace.fs.stat(script);
      } catch {
        continue;
      }
      this.controller.items.add(this.controller.createTestItem(cassette.toString(), vscode.workspace.asRelativePath(script), script));
      return;
    }
  }

  private async each(request: vscode.TestRunRequest, token: vscode.CancellationToken, one: (item: vscode.TestItem, run: vscode.TestRun) => Promise<void>): Promise<void> {
    const run = this.controller.createTestRun(request);
    const all: vscode.TestItem[] = [];
    this.controller.items.forEach((i) => all.push(i));
    for (const item of request.include ?? all) {
      if (token.isCancellationRequested || request.exclude?.includes(item)) {
        run.skipped(item);
        continue;
      }
      run.started(item);
      try {
        await one(item, run);
      } catch (e) {
        run.errored(item, new vscode.TestMessage(e instanceof Error ? e.message : String(e)));
      }
    }
    run.end();
  }

  private async replay(item: vscode.TestItem, run: vscode.TestRun, token: vscode.CancellationToken): Promise<void> {
    const { command } = this.server;
    const folder = item.uri && vscode.workspace.getWorkspaceFolder(item.uri);
    if (command === undefined || !item.uri || !folder || !vscode.workspace.isTrusted) {
      throw new Error(vscode.workspace.isTrusted ? "codemode-ls was not found." : "This workspace is restricted, so no script runs in it.");
    }
    const began = Date.now();
    const { code, output } = await execute(command, ["test", "--workspace", folder.uri.fsPath, "--format", "text", item.uri.fsPath], folder.uri.fsPath, token);
    run.appendOutput(output.replace(/\r?\n/g, "\r\n"), undefined, item);
    const { passed, expected, actual } = outcome(code, output);
    if (passed) {
      run.passed(item, Date.now() - began);
      return;
    }
    const message = expected === undefined || actual === undefined ? new vscode.TestMessage(output) : vscode.TestMessage.diff("The replay differs from the recorded run.", expected, actual);
    message.location = new vscode.Location(item.uri, new vscode.Position(0, 0));
    run.failed(item, message, Date.now() - began);
  }

  private async recordAgain(item: vscode.TestItem, run: vscode.TestRun, token: vscode.CancellationToken): Promise<void> {
    if (!item.uri) {
      return;
    }
    const failure = await this.runner.record(item.uri, vscode.Uri.parse(item.id, true), token);
    if (failure === undefined) {
      run.passed(item);
    } else {
      run.failed(item, new vscode.TestMessage(failure));
    }
  }
}

function execute(command: string, args: string[], cwd: string, token: vscode.CancellationToken): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { cwd, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
      stop.dispose();
      if (error && typeof error.code !== "number") {
        reject(new Error(error.message));
      } else {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr });
      }
    });
    const stop = token.onCancellationRequested(() => child.kill());
  });
}
