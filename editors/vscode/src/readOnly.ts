// Texts in editors that nobody has to save.

import * as vscode from "vscode";

const scheme = "codemode-text";

export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private next = 1;
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.workspace.onDidCloseTextDocument((d) => {
      if (d.uri.scheme === scheme) {
        this.texts.delete(d.uri.toString());
      }
    }),
  ];

  /** Shows a text; the name's ending says what it is. */
  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${this.next++}/${name.replaceAll("/", "_")}` });
    this.texts.set(uri.toString(), text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true, viewColumn: vscode.ViewColumn.One });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    vscode.Disposable.from(...this.registrations, this.changed).dispose();
  }
}
