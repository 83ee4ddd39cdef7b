// Running scripts: commands, progress, stop.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Method, type ExecEvent, type ExecResult } from "./protocol";
import type { ResultPanel } from "./resultPanel";
import { RunModel, Runs } from "./runModel";
import type { Feature, Server } from "./server";
import type { WaitingList } from "./waiting";

/** Starts and stops runs, and shows each in the result panel. */
export class Runner implements Feature, vscode.Disposable {
  private readonly runs = new Runs();
  private readonly stops = new Map<RunModel, vscode.CancellationTokenSource>();
  private readonly changed = new vscode.EventEmitter<number>();
  /** Fires with the number of runs under way. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly panel: ResultPanel,
    private readonly waiting: WaitingList,
  ) {}

  attach(client: LanguageClient): void {
    client.onNotification(Method.execEvent, (event: ExecEvent) => {
      this.waiting.follow(event);
      const run = this.runs.apply(event);
      if (run) {
        this.panel.update(run);
      }
    });
  }

  /**
   * Runs a script: the one named, else that of the active editor. Unsaved text
   * is what runs.
   */
  async run(target: unknown, dryRun: boolean): Promise<void> {
    const uri = scriptUri(target);
    if (!uri) {
      void vscode.window.showInformationMessage("Open a *.exec.ts or *.exec.js file to run it.");
      return;
    }
    let client: LanguageClient;
    let document: vscode.TextDocument;
    try {
      client = await this.server.ready();
      document = await vscode.workspace.openTextDocument(uri);
    } catch (e) {
      void vscode.window.showErrorMessage(words(e));
      return;
    }
    const run = this.runs.start(document.uri.toString(), dryRun);
    const stop = new vscode.CancellationTokenSource();
    this.stops.set(run, stop);
    this.report();
    this.panel.start(run);
    try {
      await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: dryRun ? "Dry run" : "Running script" }, async () => {
        const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
        run.finish(await client.sendRequest<ExecResult>(Method.exec, { textDocument, dryRun }, stop.token));
      });
    } catch (e) {
      run.fail(stop.token.isCancellationRequested ? "Stopped." : words(e));
    } finally {
      this.runs.end(run);
      this.stops.delete(run);
      stop.dispose();
      this.report();
      this.panel.update(run);
    }
  }

  /** Stops one run, or all. A run that has begun still tells what it did until then. */
  stop(run?: RunModel): void {
    for (const [model, source] of this.stops) {
      if (run !== undefined && model !== run) {
        continue;
      }
      const runId = model.runId;
      const client = this.server.running;
      if (runId === undefined || client === undefined) {
        source.cancel();
      } else {
        client.sendRequest(Method.cancel, { runId }).catch(() => {
          source.cancel();
        });
      }
    }
  }

  /** Shows a run of before, as the lens over a script asks for. */
  async showRun(runId: unknown): Promise<void> {
    try {
      const client = await this.server.ready();
      const [result, runs] = await Promise.all([
        client.sendRequest<ExecResult>(Method.run, { runId }),
        client.sendRequest<{ runId: string; uri?: string }[]>(Method.runs, {}),
      ]);
      const run = new RunModel(runs.find((r) => r.runId === runId)?.uri ?? "", false);
      run.finish(result);
      this.panel.start(run);
    } catch (e) {
      void vscode.window.showErrorMessage(words(e));
    }
  }

  dispose(): void {
    this.stop();
    this.changed.dispose();
  }

  private report(): void {
    void vscode.commands.executeCommand("setContext", "codemode.running", this.runs.count > 0);
    this.changed.fire(this.runs.count);
  }
}

/** A menu hands a Uri, a lens a string, a key nothing. */
function scriptUri(target: unknown): vscode.Uri | undefined {
  if (target instanceof vscode.Uri) {
    return target;
  }
  if (typeof target === "string") {
    return vscode.Uri.parse(target, true);
  }
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === "codemode" ? document.uri : undefined;
}

function words(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
