// A webview beside the editor. What it shows is markup made by the *Html files;
// what a person does in it comes back as messages.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { page, type Markup } from "./html";

/** A message from the page's script (webview/panel.ts). Nothing in it is trusted. */
export interface PanelMessage {
  type: string;
  do?: string;
  open?: string;
  line?: string;
  character?: string;
  file?: string;
  tool?: string;
  show?: string;
  run?: string;
  tokens?: number;
  namespace?: string;
  values?: unknown;
}

/** One panel at most of each kind; it is made when it is first shown. */
export class Panel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly disposables: vscode.Disposable[] = [];

  /**
   * @param kind the panel's view type
   * @param script the name of the page's script
   * @param body what the page has before anything is drawn
   * @param receive is called for each message; "ready" means that the page can be drawn on
   */
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly kind: string,
    private readonly title: string,
    private readonly script: string,
    private readonly body: () => Markup,
    private readonly receive: (message: PanelMessage) => void,
  ) {
    this.disposables.push(
      vscode.window.registerWebviewPanelSerializer(kind, {
        deserializeWebviewPanel: (panel) => {
          this.adopt(panel);
          return Promise.resolve();
        },
      }),
    );
  }

  /** Opens the panel beside the editor, or brings it to the front; the keyboard stays where it is. */
  show(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return;
    }
    // After a reload of the window a tab that was not in front is only a tab, until somebody selects it: this one takes its place.
    const kept = vscode.window.tabGroups.all.flatMap((g) => g.tabs).filter((t) => t.input instanceof vscode.TabInputWebview && t.input.viewType.endsWith(this.kind));
    this.adopt(
      vscode.window.createWebviewPanel(this.kind, this.title, { viewColumn: column(), preserveFocus: true }, webviewOptions(this.context)),
    );
    void vscode.window.tabGroups.close(kept, true);
  }

  get visible(): boolean {
    return this.panel?.visible ?? false;
  }

  get exists(): boolean {
    return this.panel !== undefined;
  }

  /** Replaces the content. A panel that is hidden asks again when it is shown. */
  draw(view: Markup): void {
    this.post({ type: "view", html: view.text });
  }

  post(message: unknown): void {
    void this.panel?.webview.postMessage(message);
  }

  dispose(): void {
    this.panel?.dispose();
    for (const d of this.disposables) {
      d.dispose();
    }
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    panel.webview.options = webviewOptions(this.context);
    const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(this.context.extensionUri, "media", `codemode-${theme}.svg`);
    panel.iconPath = { light: icon("light"), dark: icon("dark") };
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((m: unknown) => {
      if (typeof m === "object" && m !== null) {
        this.receive(m as PanelMessage);
      }
    });
    panel.webview.html = webviewPage(this.context, panel.webview, this.title, this.script, this.body());
  }
}

export function webviewOptions(context: vscode.ExtensionContext): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableCommandUris: false,
    localResourceRoots: [vscode.Uri.joinPath(context.extensionUri, "out"), vscode.Uri.joinPath(context.extensionUri, "media")],
  };
}

/** A page of this extension: its style, and the script of that name. */
export function webviewPage(context: vscode.ExtensionContext, webview: vscode.Webview, title: string, script: string, body: Markup): string {
  const asset = (...path: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(context.extensionUri, ...path)).toString();
  return page({
    title,
    nonce: randomBytes(16).toString("base64"),
    cspSource: webview.cspSource,
    style: asset("media", "panel.css"),
    script: asset("out", `${script}.js`),
    body,
  });
}

/** Shows a place in a script, in the editor that has it already where there is one. */
export async function openPlace(uri: string, line: number, character: number): Promise<void> {
  const target = vscode.Uri.parse(uri, true);
  const at = new vscode.Position(line, character);
  const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri);
  await vscode.window.showTextDocument(target, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One, selection: new vscode.Range(at, at) });
}

/** The column of a panel of ours that is open, else the one beside the editor. */
function column(): vscode.ViewColumn {
  const group = vscode.window.tabGroups.all.find((g) =>
    g.tabs.some((t) => t.input instanceof vscode.TabInputWebview && t.input.viewType.includes("codemode.")),
  );
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}
