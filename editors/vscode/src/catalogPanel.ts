// The panel that shows what a model would read of the pool.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { catalogControls, catalogView, compare, namespaces, type CatalogChange, type CatalogQuery } from "./catalogHtml";
import { html } from "./html";
import { Panel, type PanelMessage } from "./panel";
import { Method, type Catalog } from "./protocol";
import type { Feature, Server } from "./server";
import { visible } from "./text";

export class CatalogPanel implements Feature, vscode.Disposable {
  private readonly panel: Panel;
  private query: CatalogQuery;
  private shown: Catalog | undefined;
  private change: CatalogChange | undefined;
  /** Only the newest request may draw. */
  private turn = 0;

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.query = { budgetTokens: vscode.workspace.getConfiguration("codemode").get<number>("catalog.budgetTokens") ?? 2000, namespace: "" };
    this.panel = new Panel(context, "codemode.catalog", "Catalog", "catalog", () => html`${catalogControls(this.query)}<main id="main"></main>`, (m) => {
      this.receive(m);
    });
  }

  attach(client: LanguageClient): void {
    client.onNotification(Method.catalogChanged, () => {
      if (this.panel.exists) {
        void this.refresh(true);
      }
    });
  }

  show(): void {
    this.panel.show();
    void this.refresh(false);
  }

  dispose(): void {
    this.panel.dispose();
  }

  /** Asks for the catalog; poolChanged also says what differs from the one shown. */
  private async refresh(poolChanged: boolean): Promise<void> {
    const turn = ++this.turn;
    try {
      const client = await this.server.ready();
      const { budgetTokens, namespace } = this.query;
      const catalog = await client.sendRequest<Catalog>(Method.catalog, { budgetTokens, ...(namespace === "" ? {} : { namespace }) });
      if (turn !== this.turn) {
        return;
      }
      if (poolChanged && this.shown) {
        this.change = compare(this.shown.tools, catalog.tools) ?? this.change;
      }
      this.shown = catalog;
      this.draw();
    } catch (e) {
      if (turn === this.turn) {
        this.panel.draw(html`<section class="problem"><p>${visible(e instanceof Error ? e.message : String(e))}</p></section>`);
      }
    }
  }

  private draw(): void {
    if (!this.shown) {
      return;
    }
    // A catalog of one namespace names that one alone: the filter keeps its list.
    if (this.query.namespace === "") {
      this.panel.post({ type: "namespaces", options: namespaces(this.shown), selected: "" });
    }
    this.panel.draw(catalogView(this.shown, this.change));
  }

  private receive(m: PanelMessage): void {
    if (m.type === "ready") {
      this.query = { ...this.query, namespace: "" };
      void this.refresh(false);
    } else if (m.type === "budget" && typeof m.tokens === "number") {
      this.query = { ...this.query, budgetTokens: m.tokens };
      void this.refresh(false);
    } else if (m.type === "namespace" && typeof m.namespace === "string") {
      this.query = { ...this.query, namespace: m.namespace };
      this.change = undefined;
      void this.refresh(false);
    } else if (m.type === "click") {
      this.click(m);
    }
  }

  private click(m: PanelMessage): void {
    const tool = this.shown?.tools.find((t) => t.name === m.tool);
    if (m.do === "copyText" && this.shown) {
      void vscode.env.clipboard.writeText(this.shown.text);
    } else if (m.do === "dismissChange") {
      this.change = undefined;
      this.draw();
    } else if (m.do === "copySignature" && tool) {
      void vscode.env.clipboard.writeText(tool.signature);
    } else if (m.do === "insert" && tool) {
      void insertCall(tool.name);
    }
  }
}

/** Writes a call of the tool where the cursor is in the script that is open. */
async function insertCall(name: string): Promise<void> {
  const editor =
    [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find((e) => e?.document.languageId === "codemode");
  if (!editor) {
    void vscode.window.showInformationMessage("Open a *.exec.ts file to insert the call into it.");
    return;
  }
  const access = /^[A-Za-z_$][\w$]*$/.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`;
  const snippet = new vscode.SnippetString().appendText(`await ${access}({ `).appendTabstop().appendText(" })");
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
  await editor.insertSnippet(snippet);
}
