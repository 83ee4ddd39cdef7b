// The panel that shows what a model would read of the pool.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { catalogPage, catalogView, compare, namespaces, toolDetail, toolRows, type CatalogQuery, type ToolChange } from "./catalogHtml";
import { html } from "./html";
import { insertCall } from "./insertCall";
import { Panel, type PanelMessage } from "./panel";
import { Method, type Catalog, type CatalogTool, type ToolDescription } from "./protocol";
import type { Feature, Server } from "./server";
import { visible } from "./text";
import { argumentsOf } from "./toolForm";

export class CatalogPanel implements Feature, vscode.Disposable {
  private readonly panel: Panel;
  private query: CatalogQuery;
  /** The tools, as they are sent once. */
  private tools: readonly CatalogTool[] = [];
  /** The text and figures for the query. */
  private shown: Catalog | undefined;
  private changes: ToolChange[] | undefined;
  private detail: string | undefined;
  private readonly tried = new vscode.EventEmitter<{ name: string; args: Record<string, unknown> }>();
  /** A person has filled in a tool's form. */
  readonly onDidTry = this.tried.event;
  /** A request is under way; wanted says what to ask for after it. */
  private busy = false;
  private wanted: "budget" | "pool" | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.query = { budgetTokens: vscode.workspace.getConfiguration("codemode").get<number>("catalog.budgetTokens") ?? 2000, namespace: "" };
    this.panel = new Panel(context, "codemode.catalog", "Catalog", "catalog", () => catalogPage(this.query), (m) => {
      this.receive(m);
    });
  }

  attach(client: LanguageClient): void {
    client.onNotification(Method.catalogChanged, () => {
      if (this.panel.exists) {
        this.refresh("pool");
      }
    });
  }

  /** Opens the panel; with a tool also that one in full. */
  show(tool?: string): void {
    this.panel.show();
    this.wantedTool = tool;
    this.refresh("pool");
  }

  private wantedTool: string | undefined;

  dispose(): void {
    this.panel.dispose();
    this.tried.dispose();
  }

  /** Asks anew: one request at a time, and after it at most one for all that was wanted meanwhile. */
  private refresh(what: "budget" | "pool"): void {
    this.wanted = this.wanted === "pool" ? "pool" : what;
    if (this.busy) {
      return;
    }
    this.busy = true;
    void this.drain().finally(() => {
      this.busy = false;
    });
  }

  private async drain(): Promise<void> {
    while (this.wanted !== undefined) {
      const what = this.wanted;
      this.wanted = undefined;
      try {
        await this.ask(what);
      } catch (e) {
        this.panel.post({ type: "view", shown: [], html: html`<section class="problem"><p>${visible(e instanceof Error ? e.message : String(e))}</p></section>`.text });
      }
    }
  }

  private async ask(what: "budget" | "pool"): Promise<void> {
    const client = await this.server.ready();
    const { budgetTokens, namespace } = this.query;
    const query = { budgetTokens, ...(namespace === "" ? {} : { namespace }) };
    if (what === "budget") {
      // The tools are there already: asking for their names alone keeps a step of the slider short.
      this.shown = await client.sendRequest<Catalog>(Method.catalog, { ...query, namesOnly: true });
    } else {
      const catalog = await client.sendRequest<Catalog>(Method.catalog, query);
      if (this.tools.length > 0 && namespace === this.toolsOf) {
        this.changes = compare(this.tools, catalog.tools) ?? this.changes;
      }
      this.tools = catalog.tools;
      this.toolsOf = namespace;
      this.shown = { ...catalog, tools: [], shownNames: catalog.tools.filter((t) => t.shown).map((t) => t.name) };
      this.panel.post({ type: "tools", tools: toolRows(this.tools) });
      if (this.wantedTool !== undefined) {
        this.panel.post({ type: "select", name: this.wantedTool });
        this.wantedTool = undefined;
      }
      // A catalog of one namespace names that one alone: the filter keeps its list.
      if (namespace === "") {
        this.panel.post({ type: "namespaces", options: namespaces(catalog), selected: "" });
      }
    }
    this.draw();
  }

  private toolsOf = "";

  private draw(): void {
    if (this.shown) {
      this.panel.post({ type: "view", html: catalogView(this.shown, this.changes).text, shown: this.shown.shownNames ?? [] });
    }
  }

  private receive(m: PanelMessage): void {
    if (m.type === "ready") {
      this.query = { ...this.query, namespace: "" };
      this.refresh("pool");
    } else if (m.type === "budget" && typeof m.tokens === "number") {
      this.query = { ...this.query, budgetTokens: m.tokens };
      this.refresh("budget");
    } else if (m.type === "namespace" && typeof m.namespace === "string") {
      this.query = { ...this.query, namespace: m.namespace };
      this.changes = undefined;
      this.refresh("pool");
    } else if (m.type === "click") {
      void this.click(m);
    }
  }

  private async click(m: PanelMessage): Promise<void> {
    const tool = this.tools.find((t) => t.name === m.tool);
    if (m.do === "copyText" && this.shown) {
      await vscode.env.clipboard.writeText(this.shown.text);
    } else if (m.do === "dismissChange") {
      this.changes = undefined;
      this.draw();
    } else if (m.do === "copySignature" && tool) {
      await vscode.env.clipboard.writeText(tool.signature);
    } else if (m.do === "insert" && tool) {
      await insertCall(this.server, tool.name);
    } else if (m.do === "try" && tool) {
      try {
        const described = await this.server.running?.sendRequest<ToolDescription>(Method.describe, { name: tool.name });
        const values = Array.isArray(m.values) ? m.values.map((v) => (typeof v === "string" ? v : "")) : [];
        this.tried.fire({ name: tool.name, args: argumentsOf(described?.inputSchema, values) });
      } catch (e) {
        void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
      }
    } else if (m.do === "detail" && tool) {
      await this.showDetail(tool);
    }
  }

  /** First what is known, then what has to be asked for. */
  private async showDetail(tool: CatalogTool): Promise<void> {
    this.detail = tool.name;
    const draw = (described?: ToolDescription): void => {
      if (this.detail === tool.name) {
        this.panel.post({ type: "detail", html: toolDetail(tool, this.shown?.shownNames?.includes(tool.name) ?? false, described).text });
      }
    };
    draw();
    const client = this.server.running;
    if (client) {
      draw(await client.sendRequest<ToolDescription>(Method.describe, { name: tool.name }).catch(() => undefined));
    }
  }
}
