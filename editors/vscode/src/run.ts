// Running scripts: commands, progress, stop.

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";
import { ownName } from "./permissionText";
import { Method, type ExecEvent, type ExecResult } from "./protocol";
import { RunModel } from "./runModel";
import type { RunsPanel } from "./runsPanel";
import { ScriptInputs } from "./scriptInput";
import type { Feature, Server } from "./server";
import type { WaitingList } from "./waiting";

/** Starts and stops runs, and shows them in the panel. */
export class Runner implements Feature, vscode.Disposable {
  private readonly stops = new Map<RunModel, vscode.CancellationTokenSource>();
  /** Those of the runs that agents have begun through the gateway. */
  private readonly agents = new Set<RunModel>();
  private readonly inputs = new ScriptInputs();
  private readonly changed = new vscode.EventEmitter<number>();
  /** Fires with the number of runs under way. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly panel: RunsPanel,
    private readonly waiting: WaitingList,
  ) {}

  attach(client: LanguageClient): void {
    client.onNotification(Method.execEvent, (event: ExecEvent) => {
      this.waiting.follow(event);
      const run = this.panel.runs.apply(event, Date.now());
      if (run) {
        this.panel.update(run);
        return;
      }
      const agents = this.panel.runs.ofAgent(event, Date.now());
      if (agents) {
        void this.followAgent(client, agents.run, event, agents.first);
      }
    });
    client.onDidChangeState(({ newState }) => {
      for (const run of newState === State.Stopped ? this.agents : []) {
        run.fail("codemode-ls ended while this script ran. Calls that were under way may have taken effect.");
        this.end(run);
      }
    });
  }

  /** Shows the run of an agent, which the server tells of by events alone until its end. */
  private async followAgent(client: LanguageClient, run: RunModel, event: ExecEvent, first: boolean): Promise<void> {
    if (first) {
      this.agents.add(run);
      this.stops.set(run, new vscode.CancellationTokenSource());
      this.panel.note(run);
      this.report();
    }
    if (event.kind === "finished") {
      try {
        const result = await client.sendRequest<ExecResult & { code: string }>(Method.run, { runId: event.runId });
        run.code = result.code;
        run.finish(result);
      } catch (e) {
        run.fail(words(e));
      }
      this.end(run);
    }
    this.panel.update(run);
  }

  private end(run: RunModel): void {
    this.agents.delete(run);
    this.stops.get(run)?.dispose();
    this.stops.delete(run);
    this.report();
    this.panel.update(run);
  }

  /**
   * Runs a script: the one named, else that of the active editor. Unsaved text
   * is what runs. The person is asked for the input of a script that needs one.
   */
  async run(target: unknown, dryRun: boolean, input?: unknown): Promise<void> {
    const uri = scriptUri(target);
    if (!uri) {
      void vscode.window.showInformationMessage("Open an Exec script (*.exec.ts or *.exec.js) to run it.");
      return;
    }
    let client: LanguageClient;
    let document: vscode.TextDocument;
    try {
      if (!vscode.workspace.isTrusted) {
        throw new Error("This workspace is restricted, so no script runs in it.");
      }
      client = await this.server.ready();
      document = await vscode.workspace.openTextDocument(uri);
    } catch (e) {
      await this.server.explain(e);
      return;
    }
    const given = input === undefined ? await this.inputs.ask(client, document) : { input };
    if (given === null) {
      return;
    }
    await this.follow(client, new RunModel(randomUUID(), document.uri.toString(), dryRun, Date.now()), {
      ...given,
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
    });
  }

  /** Runs a run of before once more. */
  async again(run: RunModel, dryRun: boolean): Promise<void> {
    await (run.code === undefined ? this.run(run.uri, dryRun) : this.runCode(run.uri, run.code, dryRun));
  }

  /** Calls one tool, as a script of one line. */
  async tryTool(name: string, args: Record<string, unknown>): Promise<void> {
    await this.runCode(`codemode-try:/${encodeURIComponent(ownName(name))}`, `return await tools[${JSON.stringify(name)}](${JSON.stringify(args)});`, false);
  }

  /** Runs a script that a model wrote; answers with the text for a model. */
  async runForAgent(code: string, token: vscode.CancellationToken): Promise<string> {
    if (!vscode.workspace.isTrusted) {
      throw new Error("This workspace is restricted, so no script runs in it.");
    }
    const run = new RunModel(randomUUID(), "codemode-agent:/agent's%20script", false, Date.now(), code);
    const stopping = token.onCancellationRequested(() => {
      this.stop(run);
    });
    try {
      await this.follow(await this.server.ready(), run, { code });
    } finally {
      stopping.dispose();
    }
    if (!run.result) {
      throw new Error(run.failure ?? "The script did not run.");
    }
    return run.result.text;
  }

  /** Runs a script and keeps its calls in a cassette; answers with why that did not work. */
  async record(script: vscode.Uri, cassette: vscode.Uri, token?: vscode.CancellationToken): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      return "This workspace is restricted, so no script runs in it.";
    }
    const client = await this.server.ready();
    const document = await vscode.workspace.openTextDocument(script);
    const run = new RunModel(randomUUID(), document.uri.toString(), false, Date.now());
    const stopping = token?.onCancellationRequested(() => {
      this.stop(run);
    });
    await this.follow(client, run, { textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document), record: cassette.toString() });
    stopping?.dispose();
    return run.failure ?? (run.result?.status === "cancelled" ? "The run was stopped, so nothing was recorded." : undefined);
  }

  private async runCode(uri: string, code: string, dryRun: boolean): Promise<void> {
    try {
      if (!vscode.workspace.isTrusted) {
        throw new Error("This workspace is restricted, so no tool is called in it.");
      }
      await this.follow(await this.server.ready(), new RunModel(randomUUID(), uri, dryRun, Date.now(), code), { code });
    } catch (e) {
      await this.server.explain(e);
    }
  }

  private async follow(client: LanguageClient, run: RunModel, what: object): Promise<void> {
    const { dryRun } = run;
    const stop = new vscode.CancellationTokenSource();
    this.stops.set(run, stop);
    this.panel.start(run);
    this.report();
    try {
      await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: dryRun ? "Dry run" : "Running script" }, async () => {
        run.finish(await client.sendRequest<ExecResult>(Method.exec, { ...what, dryRun, token: run.id }, stop.token));
      });
    } catch (e) {
      run.fail(stop.token.isCancellationRequested ? "Stopped." : this.server.running === client ? words(e) : "codemode-ls ended while this script ran. Calls that were under way may have taken effect.");
    } finally {
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
      model.stopping = true;
      this.panel.update(model);
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

  /** Stops the runs of a script: that of the active editor when none is named. */
  stopScript(target: unknown): void {
    const uri = scriptUri(target)?.toString();
    const own = [...this.stops.keys()].filter((r) => r.uri === uri);
    for (const run of own) {
      this.stop(run);
    }
    if (own.length === 0) {
      this.stop();
    }
  }

  /** Shows a run of before, as the lens over a script asks for. */
  async showRun(runId: unknown): Promise<void> {
    const known = this.panel.runs.list.find((r) => r.runId === runId);
    if (known) {
      this.panel.select(known);
      this.panel.show();
      return;
    }
    try {
      const client = await this.server.ready();
      const [result, runs] = await Promise.all([
        client.sendRequest<ExecResult>(Method.run, { runId }),
        client.sendRequest<{ runId: string; uri?: string; started: string }[]>(Method.runs, {}),
      ]);
      const kept = runs.find((r) => r.runId === runId);
      const run = new RunModel(randomUUID(), kept?.uri ?? "", false, kept ? Date.parse(kept.started) : Date.now());
      run.finish(result);
      this.panel.start(run);
    } catch (e) {
      await this.server.explain(e);
    }
  }

  dispose(): void {
    this.stop();
    this.changed.dispose();
  }

  private report(): void {
    void vscode.commands.executeCommand("setContext", "codemode.running", this.stops.size > 0);
    void vscode.commands.executeCommand("setContext", "codemode.runningScripts", [...this.stops.keys()].map((r) => vscode.Uri.parse(r.uri).toString()));
    this.changed.fire(this.stops.size);
  }
}

/** A menu hands a Uri, a lens a string, a key nothing. */
export function scriptUri(target: unknown): vscode.Uri | undefined {
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
