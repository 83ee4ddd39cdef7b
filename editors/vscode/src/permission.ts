// Asking a person whether a script may call a tool (PERM-6, PERM-7).
//
// The prompt is modal: VS Code hides other prompts after some seconds, and the
// script would wait for ever. Closing it is a denial. Several are asked one
// after the other.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { askModal } from "./modal";
import { loopChoices, permissionPrompt, wholeArguments } from "./permissionText";
import { Method, type PermissionAnswer, type PermissionRequest } from "./protocol";
import type { Queue } from "./queue";
import type { Feature } from "./server";

interface Choice extends vscode.MessageItem {
  answer?: PermissionAnswer;
  more?: "always" | "loop" | "review";
}

const denied: PermissionAnswer = { decision: "deny", scope: "once" };

const deny: Choice = { title: "Deny", isCloseAffordance: true, answer: denied };
const choices: Choice[] = [
  { title: "Allow Once", answer: { decision: "allow", scope: "once" } },
  { title: "Allow for This Run", answer: { decision: "allow", scope: "run" } },
  { title: "Allow for This Session", answer: { decision: "allow", scope: "session" } },
  { title: "Always Allow…", more: "always" },
  { title: "Deny and Stop the Run", answer: { decision: "deny", scope: "once", stop: true } },
];
const loop: Choice = { title: "Allow More Calls…", more: "loop" };
const review: Choice = { title: "Review…", more: "review" };

export class PermissionPrompts implements Feature, vscode.Disposable {
  private readonly arguments = new ArgumentDocuments();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground"),
  });

  constructor(private readonly queue: Queue) {}

  attach(client: LanguageClient): void {
    client.onRequest(Method.permission, (request: PermissionRequest, token: vscode.CancellationToken) =>
      this.queue.add(() => this.ask(request, token)),
    );
  }

  dispose(): void {
    this.mark.dispose();
    this.arguments.dispose();
  }

  private async ask(request: PermissionRequest, token: vscode.CancellationToken): Promise<PermissionAnswer> {
    // A run that has ended while its question waited needs no answer any more.
    if (token.isCancellationRequested) {
      return denied;
    }
    const unmark = this.reveal(request);
    try {
      return await this.choose(request);
    } finally {
      unmark();
    }
  }

  private async choose(request: PermissionRequest): Promise<PermissionAnswer> {
    const prompt = permissionPrompt(request);
    const items = [...choicesFor(request), ...(prompt.cut ? [review] : []), deny];
    for (;;) {
      const choice = await askModal(prompt.message, prompt.detail, items);
      if (choice?.more === "review") {
        return this.review(request, prompt.message);
      }
      if (!choice?.more) {
        return choice?.answer ?? denied;
      }
      const answer = await chooseMore(choice, request);
      if (answer) {
        return answer;
      }
    }
  }

  /** All of the arguments in an editor, and the question beside it. */
  private async review(request: PermissionRequest, message: string): Promise<PermissionAnswer> {
    const document = await this.arguments.open(wholeArguments(request.arguments));
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
    const items = [deny, ...choicesFor(request)].map((c) => ({ label: c.title, choice: c }));
    const picked = await vscode.window.showQuickPick(items, { title: message, placeHolder: "Esc denies", ignoreFocusOut: true });
    if (picked?.choice.more) {
      return (await chooseMore(picked.choice, request)) ?? denied;
    }
    return picked?.choice.answer ?? denied;
  }

  /** Scrolls to the call and marks its line, where the script can be seen; the cursor stays. */
  private reveal(request: PermissionRequest): () => void {
    const range = request.range;
    if (!range || request.uri === undefined) {
      return () => undefined;
    }
    const uri = vscode.Uri.parse(request.uri).toString();
    const at = new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
    const editors = vscode.window.visibleTextEditors.filter((e) => e.document.uri.toString() === uri);
    for (const e of editors) {
      e.revealRange(new vscode.Range(range.start.line, 0, range.start.line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      e.setDecorations(this.mark, [at]);
    }
    return () => {
      for (const e of editors) {
        e.setDecorations(this.mark, []);
      }
    };
  }
}

/** The answers that a question has; those for a loop when the server offers them (PERM-12). */
function choicesFor(request: PermissionRequest): Choice[] {
  return request.loop ? [...choices.slice(0, 1), loop, ...choices.slice(1)] : choices;
}

/** The second step of an answer; undefined when the person went back. */
async function chooseMore(choice: Choice, request: PermissionRequest): Promise<PermissionAnswer | undefined> {
  if (choice.more !== "loop" || !request.loop) {
    return chooseLayer(request);
  }
  const picked = await vscode.window.showQuickPick(loopChoices(request.loop), {
    title: `Allow more calls of ${request.tool}`,
    placeHolder: "Esc goes back",
    ignoreFocusOut: true,
  });
  return picked?.answer;
}

/** Where an "always" is kept; undefined when the person went back. */
async function chooseLayer(request: PermissionRequest): Promise<PermissionAnswer | undefined> {
  const picked = await vscode.window.showQuickPick(
    [
      { label: "In this workspace", description: "kept by your editor's user, not in the workspace's files", scope: "workspace" as const },
      { label: "Everywhere", description: "in all of your workspaces", scope: "user" as const },
    ],
    { title: `Always allow ${request.tool}`, placeHolder: "Esc goes back", ignoreFocusOut: true },
  );
  return picked && { decision: "allow", scope: picked.scope };
}

/** Read-only documents of arguments that are too long for a prompt. */
class ArgumentDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private next = 1;
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider("codemode-arguments", this),
    vscode.workspace.onDidCloseTextDocument((d) => this.texts.delete(d.uri.path)),
  ];

  async open(text: string): Promise<vscode.TextDocument> {
    const path = `/call ${this.next++}/arguments.json`;
    this.texts.set(path, text);
    return vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: "codemode-arguments", path }));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  dispose(): void {
    for (const r of this.registrations) {
      r.dispose();
    }
  }
}
