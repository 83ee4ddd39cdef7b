// One list of everything that waits for a person: calls that need permission
// (PERM-6, PERM-7), servers that a workspace names (TRUST-1), answers that a
// configuration file asks for. It never takes the focus; a badge, the status bar
// and a notification that can only open the list bring it to notice (VSC-3).

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { choicesFor, waitingWords } from "./permissionText";
import { Method, type ExecEvent, type InputAnswer, type InputQuestion, type PermissionAnswer, type PermissionRequest, type Server as McpServer } from "./protocol";
import { html } from "./html";
import { openPlace, webviewOptions, webviewPage } from "./panel";
import { askForm } from "./elicit";
import type { Feature } from "./server";
import { Waiting } from "./waitingModel";
import { waitingView } from "./waitingHtml";

const viewId = "codemode.waiting";
const denied: PermissionAnswer = { decision: "deny", scope: "once" };

/** Sooner after a change of the list no answer from the page counts, whatever the page says. */
const restMs = 700;

const maxFocusTries = 5;

interface Message {
  type: string;
  key?: string;
  decide?: string;
  open?: string;
  line?: string;
  character?: string;
}

export class WaitingList implements Feature, vscode.WebviewViewProvider, vscode.Disposable {
  private readonly model = new Waiting();
  private readonly answers = new Map<string, (answer: unknown) => void>();
  private view: vscode.WebviewView | undefined;
  private shownAt = new Map<string, number>();
  /** The person who asked for the list does not have the keyboard there yet; how often it was tried. */
  private focusTries: number | undefined;
  private notified: (() => void) | undefined;
  private readonly changed = new vscode.EventEmitter<number>();
  /** Fires with the number of requests that wait. */
  readonly onDidChange = this.changed.event;
  private readonly approved = new vscode.EventEmitter<{ name: string; hash: string; decision: "allow" | "deny" }>();
  /** A person has decided on a server. */
  readonly onDidDecide = this.approved.event;
  private readonly refused = new vscode.EventEmitter<void>();
  /** A person wants nothing of this workspace's files to be started. */
  readonly onDidRefuseAll = this.refused.event;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground"),
  });
  private readonly registrations: vscode.Disposable;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.registrations = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(viewId, this),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.markCalls();
      }),
    );
  }

  attach(client: LanguageClient): void {
    client.onRequest(Method.permission, (request: PermissionRequest, token: vscode.CancellationToken) =>
      this.wait<PermissionAnswer>(`call ${request.id}`, token, denied, (key) => {
        this.model.add({ kind: "call", key, request });
        this.reveal(request);
      }),
    );
    client.onRequest(Method.input, (question: InputQuestion, token: vscode.CancellationToken) =>
      this.wait<InputAnswer>(`input ${question.file} ${question.id} ${Date.now()}`, token, {}, (key) => {
        this.model.add({ kind: "input", key, question });
      }),
    );
    client.onDidChangeState((e) => {
      if (e.newState !== e.oldState) {
        for (const answer of this.answers.values()) {
          answer(undefined);
        }
        this.answers.clear();
        this.model.clear();
        this.update();
      }
    });
  }

  /** Follows runs, for the calls that will be asked about. */
  follow(event: ExecEvent): void {
    if (this.model.apply(event)) {
      this.update();
    }
  }

  /** The servers as they are now. With again, also those that were put off or refused. */
  setServers(servers: readonly McpServer[], again = false): void {
    this.model.servers(servers, again);
    this.update();
  }

  get count(): number {
    return this.model.count;
  }

  /** Shows the list and gives it the keyboard: only ever called for a person who asked for that. */
  async focus(): Promise<void> {
    this.focusTries = 0;
    await this.giveFocus();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = webviewOptions(this.context);
    view.webview.onDidReceiveMessage((m: unknown) => {
      if (typeof m === "object" && m !== null) {
        this.receive(m as Message);
      }
    });
    view.onDidChangeVisibility(() => {
      this.notify(this.model.count);
    });
    view.onDidDispose(() => {
      this.view = undefined;
    });
    view.webview.html = webviewPage(this.context, view.webview, "Waiting for you", "waiting", html`<main id="main" tabindex="-1" aria-live="polite"></main>`);
    this.update();
  }

  dispose(): void {
    this.notified?.();
    this.mark.dispose();
    this.registrations.dispose();
    this.changed.dispose();
    this.approved.dispose();
    this.refused.dispose();
  }

  private wait<T>(key: string, token: vscode.CancellationToken, closed: T, add: (key: string) => void): Promise<T> {
    if (token.isCancellationRequested) {
      return Promise.resolve(closed);
    }
    return new Promise<T>((resolve) => {
      const withdrawn = token.onCancellationRequested(() => {
        this.settle(key, closed);
      });
      this.answers.set(key, (answer) => {
        withdrawn.dispose();
        resolve((answer ?? closed) as T);
      });
      add(key);
      this.update();
    });
  }

  private settle(key: string, answer: unknown): void {
    const resolve = this.answers.get(key);
    this.answers.delete(key);
    this.model.remove(key);
    resolve?.(answer);
    this.update();
  }

  private receive(m: Message): void {
    if (m.type === "ready") {
      this.update();
      if (this.focusTries !== undefined) {
        void this.giveFocus();
      }
    } else if (m.type === "focused") {
      this.focusTries = undefined;
    } else if (m.type === "unfocused") {
      // The workbench has given the keyboard back to what had it before the command.
      if (this.focusTries !== undefined && ++this.focusTries < maxFocusTries) {
        void this.giveFocus();
      } else {
        this.focusTries = undefined;
      }
    } else if (m.type === "open" && m.open !== undefined) {
      if (this.knows(m.open)) {
        void openPlace(m.open, Number(m.line ?? 0), Number(m.character ?? 0));
      }
    } else if (m.type === "decide" && m.key !== undefined && m.decide !== undefined) {
      void this.decide(m.key, m.decide);
    }
  }

  /** Only places that are in the list are opened. */
  private knows(uri: string): boolean {
    return this.model.items.some((i) => i.kind === "call" && i.request.uri === uri) || this.model.upcoming.some((u) => u.uri === uri);
  }

  private async decide(key: string, id: string): Promise<void> {
    const item = this.model.find(key);
    const shown = this.shownAt.get(key);
    if (!item || shown === undefined || performance.now() - shown < restMs) {
      return;
    }
    switch (item.kind) {
      case "call": {
        const c = choicesFor(item.request, this.model.alike(item.request));
        const choice = [c.deny, c.allow, ...c.alike, ...c.more].find((o) => o.id === id);
        if (choice) {
          this.settle(key, choice.answer);
        }
        break;
      }
      case "server":
        if (id === "none") {
          this.model.withoutServers();
          this.refused.fire();
        } else if (id === "start" || id === "never") {
          this.model.remove(key);
          this.approved.fire({ name: item.server.name, hash: item.server.approval.hash, decision: id === "start" ? "allow" : "deny" });
        } else {
          this.model.later(key);
        }
        this.update();
        break;
      case "input":
        this.settle(key, id === "enter" ? await askInput(item.question) : id === "decline" ? { action: "decline" } : {});
        break;
    }
    if (this.model.items.length === 0) {
      // Back to where the person came from.
      await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    }
  }

  /** The page reports whether it has it then; a page that is only being made asks when it is ready. */
  private async giveFocus(): Promise<void> {
    await vscode.commands.executeCommand(`${viewId}.focus`);
    await this.view?.webview.postMessage({ type: "focus" });
  }

  private update(): void {
    const now = performance.now();
    const before = this.shownAt;
    this.shownAt = new Map(this.model.items.map((i) => [i.key, before.get(i.key) ?? now]));
    const n = this.model.count;
    if (this.view) {
      this.view.badge = n === 0 ? undefined : { value: n, tooltip: waitingWords(n) };
      void this.view.webview.postMessage({ type: "view", html: waitingView(this.model).text });
    }
    void vscode.commands.executeCommand("setContext", "codemode.waiting", n > 0);
    this.markCalls();
    this.notify(n);
    this.changed.fire(n);
  }

  /**
   * A notification that stays as long as something waits. It has no button that
   * decides; its link opens the list.
   */
  private notify(n: number): void {
    if (n === 0 || this.view?.visible) {
      this.notified?.();
      this.notified = undefined;
      return;
    }
    if (this.notified) {
      return;
    }
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `${this.describe()} [Review](command:codemode.reviewWaiting)` }, () =>
      new Promise<void>((resolve) => {
        this.notified = resolve;
      }),
    );
  }

  private describe(): string {
    if (this.model.upcoming.length > 0 || this.model.items.some((i) => i.kind === "call")) {
      return "A script needs your permission.";
    }
    return this.model.items[0]?.kind === "server" ? "An MCP server needs your approval." : "Code Mode needs your answer.";
  }

  /** Scrolls to the call where the script can be seen, but not where somebody may be typing. */
  private reveal(request: PermissionRequest): void {
    const range = request.range;
    if (!range || request.uri === undefined) {
      return;
    }
    const uri = vscode.Uri.parse(request.uri).toString();
    for (const e of vscode.window.visibleTextEditors) {
      if (e !== vscode.window.activeTextEditor && e.document.uri.toString() === uri) {
        e.revealRange(new vscode.Range(range.start.line, 0, range.start.line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }

  private markCalls(): void {
    const places = this.model.items.flatMap((i) => (i.kind === "call" && i.request.range && i.request.uri !== undefined ? [{ uri: vscode.Uri.parse(i.request.uri).toString(), range: i.request.range }] : []));
    for (const e of vscode.window.visibleTextEditors) {
      const uri = e.document.uri.toString();
      e.setDecorations(
        this.mark,
        places.filter((p) => p.uri === uri).map(({ range: r }) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character)),
      );
    }
  }
}

/** Asks for a value; only after the person has pressed the button for it. */
async function askInput(question: InputQuestion): Promise<InputAnswer> {
  if (question.server !== undefined) {
    return askForm(question);
  }
  const title = `${vscode.workspace.asRelativePath(question.file)} asks for ${question.id}`;
  const prompt = question.description ?? "";
  const value = question.options
    ? await vscode.window.showQuickPick(question.options, { title, placeHolder: prompt, ignoreFocusOut: true })
    : await vscode.window.showInputBox({
        title,
        prompt,
        password: question.password === true,
        ignoreFocusOut: true,
        ...(question.default === undefined ? {} : { value: question.default }),
      });
  return value === undefined ? {} : { value };
}
