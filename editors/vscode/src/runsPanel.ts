// The panel with all runs: a list, and one of them in full. Runs are kept over a
// reload of the window, in the extension's own folder of the workspace.

import { createHash } from "node:crypto";
import { basename } from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { html } from "./html";
import { openPlace, Panel, type PanelMessage } from "./panel";
import { Method, type ExecResult, type ValuePiece } from "./protocol";
import { ReadOnlyDocuments } from "./readOnly";
import { emptyResultView, resultView, runList } from "./resultHtml";
import { isAgents, RunModel, Runs, type SavedRun } from "./runModel";
import { baseName } from "./text";
import { csv, isTable } from "./valueModel";

/** Events come faster than anyone reads: the panel is drawn at most this often. */
const drawEveryMs = 60;
/** The clock of a run under way. */
const tickMs = 500;
/** A longer value than this is not kept over a reload. */
const savedBytes = 2_000_000;
const savedRuns = 20;

export interface RunRequest {
  action: "run" | "dryRun" | "stop" | "review" | "output" | "newScript";
  run: RunModel | undefined;
}

export class RunsPanel implements vscode.Disposable {
  readonly runs = new Runs();
  private shown: RunModel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly ticker: NodeJS.Timeout;
  private readonly panel: Panel;
  private readonly values = new Map<RunModel, unknown>();
  private sentValue: { run: RunModel; value: unknown } | undefined;
  private readonly asked = new vscode.EventEmitter<RunRequest>();
  /** A person pressed a button of the panel. */
  readonly onDidAsk = this.asked.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly documents: ReadOnlyDocuments,
    private readonly client: () => LanguageClient | undefined,
  ) {
    this.panel = new Panel(context, "codemode.result", "Runs", "panel", () => html`<aside id="runs"></aside><main id="main"></main>`, (m) => {
      this.receive(m);
    });
    this.ticker = setInterval(() => {
      if (this.shown?.running && this.panel.visible) {
        this.draw();
      }
    }, tickMs);
    void this.restore();
  }

  show(): void {
    this.panel.show();
  }

  /** The run on show. */
  get current(): RunModel | undefined {
    return this.shown;
  }

  /** A new run has begun: it is shown, beside those before it. */
  start(run: RunModel): void {
    this.runs.start(run);
    this.select(run);
    this.panel.show();
  }

  /** A run that somebody else has begun: it takes the place of one that has ended, and opens nothing. */
  note(run: RunModel): void {
    if (!this.shown?.running) {
      this.select(run);
    }
  }

  select(run: RunModel): void {
    this.shown = run;
    this.draw();
  }

  /** Something of a run is new. */
  update(run: RunModel): void {
    if (!run.running) {
      void this.save();
      void this.fetchResults(run);
    }
    this.timer ??= setTimeout(() => {
      this.draw();
    }, drawEveryMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
    clearInterval(this.ticker);
    this.panel.dispose();
    this.asked.dispose();
  }

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const run = this.shown;
    this.panel.post({
      type: "view",
      list: this.runs.list.length > 0 ? runList(this.runs.list, run).text : "",
      html: (run ? resultView(run, Date.now() - run.startedAt, this.values.has(run)) : emptyResultView()).text,
    });
    if (run?.result && (this.values.has(run) || (run.result.hasValue && !run.result.valueOmitted))) {
      const value = this.valueOf(run);
      if (this.sentValue?.run !== run || this.sentValue.value !== value) {
        this.sentValue = { run, value };
        this.panel.post({ type: "value", run: run.id, value });
      }
    }
  }

  private valueOf(run: RunModel): unknown {
    return this.values.has(run) ? this.values.get(run) : run.result?.value;
  }

  /** What each call brought: only a kept run has that, so it is asked for after the end. */
  private async fetchResults(run: RunModel): Promise<void> {
    const client = this.client();
    if (!client || run.runId === undefined || !run.result || run.result.calls.length === 0) {
      return;
    }
    try {
      const whole = await client.sendRequest<ExecResult>(Method.run, { runId: run.runId });
      run.calls = whole.calls;
      run.result = { ...run.result, calls: whole.calls };
      this.redraw(run);
    } catch {
      // A server that has dropped the run already; its calls are shown without results.
    }
  }

  private redraw(run: RunModel): void {
    void this.save();
    if (run === this.shown) {
      this.draw();
    }
  }

  /** The whole of a value that the result leaves out, in pieces. */
  private async fetchValue(run: RunModel): Promise<unknown> {
    if (this.values.has(run) || !run.result?.valueOmitted) {
      return this.valueOf(run);
    }
    const client = this.client();
    const runId = run.runId;
    if (!client || runId === undefined) {
      throw new Error("codemode-ls is not running.");
    }
    const json = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Fetching the value" }, async (): Promise<string> => {
      const pieces: string[] = [];
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const piece: ValuePiece = await client.sendRequest<ValuePiece>(Method.value, { runId, offset });
        pieces.push(piece.json);
        offset = piece.next;
      }
      return pieces.join("");
    });
    const value: unknown = JSON.parse(json);
    this.values.set(run, value);
    return value;
  }

  private receive(m: PanelMessage): void {
    if (m.type === "ready") {
      this.sentValue = undefined;
      this.draw();
      return;
    }
    if (m.type !== "click") {
      return;
    }
    const run = this.shown;
    if (m.show !== undefined) {
      const other = this.runs.find(m.show);
      if (other) {
        this.select(other);
      }
      return;
    }
    if (m.open !== undefined) {
      if (m.open === run?.uri && run.code === undefined) {
        void openPlace(m.open, Number(m.line ?? 0), Number(m.character ?? 0));
      }
      return;
    }
    if (m.file !== undefined) {
      if (m.file === run?.result?.truncated?.artifact || m.file === run?.result?.valueOmitted?.artifact) {
        void vscode.window.showTextDocument(vscode.Uri.file(m.file), { preview: true, viewColumn: vscode.ViewColumn.One });
      }
      return;
    }
    this.act(m, run).catch((e: unknown) => {
      void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
    });
  }

  private async act(m: PanelMessage, run: RunModel | undefined): Promise<void> {
    switch (m.do) {
      case "stop":
        this.asked.fire({ action: "stop", run: m.run === undefined ? run : this.runs.find(m.run) });
        return;
      case "run":
      case "dryRun":
      case "review":
      case "output":
      case "newScript":
        this.asked.fire({ action: m.do, run });
        return;
      case "setting":
        await vscode.commands.executeCommand("workbench.action.openSettings", m.tool);
        return;
    }
    if (!run?.result) {
      return;
    }
    switch (m.do) {
      case "keep":
        if (isAgents(run)) {
          await keep(run.code ?? "");
        }
        break;
      case "copyText":
        await vscode.env.clipboard.writeText(run.result.text);
        break;
      case "fetch":
        await this.fetchValue(run);
        this.draw();
        break;
      case "copyValue":
        await vscode.env.clipboard.writeText(asText(await this.fetchValue(run)));
        break;
      case "openValue": {
        const value = await this.fetchValue(run);
        await this.documents.show(`value of ${baseName(run.uri)}${typeof value === "string" ? ".txt" : ".json"}`, asText(value));
        break;
      }
      case "saveJson": {
        const value = await this.fetchValue(run);
        await save(run, typeof value === "string" ? "txt" : "json", Buffer.from(asText(value)));
        break;
      }
      case "saveCsv": {
        const value = await this.fetchValue(run);
        if (isTable(value)) {
          await save(run, "csv", Buffer.from(csv(value)));
        }
        break;
      }
      case "saveImage": {
        const item = run.output[Number(m.tool)];
        if (item?.data !== undefined) {
          const type = /^\w+\/([\w.+-]+)/.exec(item.mimeType ?? "")?.[1] ?? "bin";
          await save(run, type === "jpeg" ? "jpg" : type.replace(/\+.*/, ""), Buffer.from(item.data, "base64"));
        }
        break;
      }
    }
  }

  // Kept runs

  /**
   * Not in the workspace's own storage: after a quick reload that is still locked,
   * and VS Code hands out another folder.
   */
  private get file(): vscode.Uri | undefined {
    const folder = vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = folder && createHash("sha256").update(folder.toString()).digest("hex").slice(0, 32);
    return name === undefined ? undefined : vscode.Uri.joinPath(this.context.globalStorageUri, "runs", `${name}.json`);
  }

  private saving: Promise<void> = Promise.resolve();

  private async save(): Promise<void> {
    const { file } = this;
    if (!file) {
      return;
    }
    const saved = this.runs.list.slice(0, savedRuns).map((r): SavedRun => {
      const s = r.save();
      if (s.result && JSON.stringify(s.result).length > savedBytes) {
        s.result = { ...s.result, value: undefined, hasValue: false, output: [], calls: s.result.calls.map((c) => ({ ...c, result: undefined })), warnings: [...s.result.warnings, { message: "The value was too large to be kept over a reload of the window." }] };
      }
      return s;
    });
    // One after the other: the newest list is the last written.
    this.saving = this.saving.then(async () => {
      try {
        await vscode.workspace.fs.writeFile(file, Buffer.from(JSON.stringify(saved)));
      } catch {
        // A full disk costs the history, not the run.
      }
    });
    await this.saving;
  }

  private async restore(): Promise<void> {
    if (!this.file) {
      return;
    }
    try {
      const saved = JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(this.file)).toString()) as SavedRun[];
      for (const s of saved) {
        this.runs.list.push(RunModel.restore(s));
      }
      this.shown ??= this.runs.list[0];
      this.draw();
    } catch {
      // None yet, or a file of another version.
    }
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

async function save(run: RunModel, extension: string, content: Uint8Array): Promise<void> {
  const name = `${basename(baseName(run.uri)).replace(/\.exec\.[jt]s$/, "")}.${extension}`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {});
  if (target) {
    await vscode.workspace.fs.writeFile(target, content);
  }
}

/** Saves an agent's script where scripts for agents are (GATE-5), and opens it. */
async function keep(code: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: "Keep as a script", filters: { "Exec script": ["exec.ts"] },
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, ".codemode", "scripts", "kept.exec.ts") } : {}),
  });
  if (target) {
    await vscode.workspace.fs.writeFile(target, Buffer.from(code));
    await vscode.window.showTextDocument(target);
  }
}
