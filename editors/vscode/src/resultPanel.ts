// The panel that shows the newest run while it runs and when it has ended.

import * as vscode from "vscode";
import { html } from "./html";
import { openPlace, Panel, type PanelMessage } from "./panel";
import { emptyResultView, resultView } from "./resultHtml";
import type { RunModel } from "./runModel";

/** Events come faster than anyone reads: the panel is drawn at most this often. */
const drawEveryMs = 60;

export class ResultPanel implements vscode.Disposable {
  private run: RunModel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly panel: Panel;
  private readonly asked = new vscode.EventEmitter<{ action: "run" | "dryRun" | "stop"; run: RunModel }>();
  /** A person pressed a button of the panel. */
  readonly onDidAsk = this.asked.event;

  constructor(context: vscode.ExtensionContext) {
    this.panel = new Panel(context, "codemode.result", "Code Mode: Result", () => html``, (m) => {
      this.receive(m);
    });
  }

  show(): void {
    this.panel.show();
  }

  /** A new run has begun: it takes the panel over. */
  start(run: RunModel): void {
    this.run = run;
    this.panel.show();
    this.draw();
  }

  /** Something of a run is new. */
  update(run: RunModel): void {
    if (run !== this.run) {
      return;
    }
    if (!run.running) {
      this.draw();
      return;
    }
    this.timer ??= setTimeout(() => {
      this.draw();
    }, drawEveryMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel.dispose();
    this.asked.dispose();
  }

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.panel.draw(this.run ? resultView(this.run) : emptyResultView());
  }

  private receive(m: PanelMessage): void {
    const run = this.run;
    if (m.type === "ready") {
      this.draw();
    } else if (m.type === "click" && run) {
      if (m.do === "run" || m.do === "dryRun" || m.do === "stop") {
        this.asked.fire({ action: m.do, run });
      } else if (m.do === "copyText" && run.result) {
        void vscode.env.clipboard.writeText(run.result.text);
      } else if (m.do === "copyValue" && run.result) {
        const value = run.result.value;
        void vscode.env.clipboard.writeText(typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
      } else if (m.open !== undefined && m.open === run.uri) {
        void openPlace(run.uri, Number(m.line ?? 0), Number(m.character ?? 0));
      } else if (m.file !== undefined && m.file === run.result?.truncated?.artifact) {
        void vscode.window.showTextDocument(vscode.Uri.file(m.file), { preview: true });
      }
    }
  }
}
