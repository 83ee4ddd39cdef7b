// Texts in editors that nobody has to save.

import * as vscode from "vscode";

const scheme = "codemode-text";

export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, () => string>();
  private readonly following = new Map<string, vscode.Disposable>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private next = 1;
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.workspace.onDidCloseTextDocument((d) => {
      if (d.uri.scheme === scheme) {
        this.texts.delete(d.uri.toString());
        this.following.get(d.uri.toString())?.dispose();
        this.following.delete(d.uri.toString());
      }
    }),
  ];

  /** Shows a text; the name's ending says what it is. One that is a function is read again at each change. */
  async show(name: string, text: string | (() => string), change?: vscode.Event<unknown>): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${this.next++}/${name.replaceAll("/", "_")}` });
    this.texts.set(uri.toString(), typeof text === "string" ? () => text : text);
    if (change) {
      this.following.set(uri.toString(), change(() => {
        this.changed.fire(uri);
      }));
    }
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true, viewColumn: vscode.ViewColumn.One });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString())?.() ?? "";
  }

  dispose(): void {
    vscode.Disposable.from(...this.registrations, ...this.following.values(), this.changed).dispose();
  }
}
