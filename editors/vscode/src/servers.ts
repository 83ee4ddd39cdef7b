// The MCP servers: their list, the tree that shows them with their tools, their logs.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { describeAnnotations, ownName } from "./permissionText";
import { Method, type Catalog, type CatalogTool, type Server as McpServer } from "./protocol";
import type { ReadOnlyDocuments } from "./readOnly";
import type { Feature, Server } from "./server";
import { ServerLogs } from "./serverLogs";
import { count, line, visible } from "./text";
import type { WaitingList } from "./waiting";

/** A row: a server, or one of its tools. */
export type Row = { server: McpServer; tool?: CatalogTool };

export class Servers implements Feature, vscode.TreeDataProvider<Row>, vscode.Disposable {
  private list: McpServer[] = [];
  private tools: CatalogTool[] | undefined;
  private readonly logs = new ServerLogs();
  private readonly changed = new vscode.EventEmitter<undefined>();
  /** The list is new. */
  readonly onDidChange = this.changed.event;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly waiting: WaitingList,
    private readonly documents: ReadOnlyDocuments,
  ) {
    waiting.onDidDecide((d) => this.request(Method.approveServer, d));
    waiting.onDidRefuseAll(() => this.request(Method.refuseServers, {}));
  }

  get all(): readonly McpServer[] {
    return this.list;
  }

  /** A tool to show in an example. */
  get firstTool(): string | undefined {
    return this.tools?.[0]?.name;
  }

  attach(client: LanguageClient): void {
    // The params are a list, which the client library hands over one by one.
    client.onNotification(Method.serversChanged, (...servers: unknown[]) => {
      this.set(servers);
    });
    client.onDidChangeState(() => {
      if (this.server.state === "ready" || this.server.state === "restricted") {
        void this.refresh();
      } else if (this.server.state !== "starting") {
        this.set(undefined);
      }
    });
  }

  /** Asks the server for the list. */
  async refresh(): Promise<void> {
    const client = this.server.running;
    this.set(client ? await client.sendRequest<unknown>(Method.servers, {}).catch(() => undefined) : undefined);
  }

  async restart(row: Row | undefined): Promise<void> {
    const chosen = row?.server ?? (await this.pick("Which MCP server should be restarted?"));
    if (chosen) {
      await this.request(Method.restartServer, { name: chosen.name });
    }
  }

  /** Shows the servers that are not approved, also those that were put off or refused. */
  async review(): Promise<void> {
    if (!this.list.some((s) => s.approval)) {
      void vscode.window.showInformationMessage("No MCP server of this workspace waits for approval.");
      return;
    }
    this.waiting.setServers(this.list, true);
    await this.waiting.focus();
  }

  /** What a server wrote to its standard error, over its restarts; it grows while it is open. */
  async showLog(row: Row | undefined): Promise<void> {
    const chosen = row?.server ?? (await this.pick("Show the log of which MCP server?"));
    if (chosen) {
      await this.documents.show(`${chosen.name}.log`, () => visible(this.logs.text(chosen.name)) || "Nothing was written yet.", this.onDidChange);
    }
  }

  /** The line of the file that defines a server. */
  async showDefinition(row: Row | undefined): Promise<void> {
    const chosen = row?.server ?? (await this.pick("Show the definition of which MCP server?"));
    if (!chosen) {
      return;
    }
    if (chosen.file === undefined) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "codemode.mcpServers");
      return;
    }
    const at = new vscode.Position(chosen.line ?? 0, 0);
    await vscode.window.showTextDocument(vscode.Uri.file(chosen.file), { selection: new vscode.Range(at, at) });
  }

  /** Signing in is the server's command, which says how. */
  async signIn(row: Row | undefined): Promise<void> {
    await this.server.execute("codemode.authenticate", row ? [row.server.name] : []);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return row.tool ? toolItem(row.tool) : serverItem(row.server);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (!row) {
      return this.list.map((server) => ({ server }));
    }
    if (row.tool) {
      return [];
    }
    const { server } = row;
    this.tools ??= await this.fetchTools();
    return this.tools.filter((t) => t.server === server.name).map((tool) => ({ server, tool }));
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async fetchTools(): Promise<CatalogTool[]> {
    const catalog = await this.server.running?.sendRequest<Catalog>(Method.catalog, {}).catch(() => undefined);
    return catalog?.tools ?? [];
  }

  private set(servers: unknown): void {
    this.list = Array.isArray(servers) ? (servers as McpServer[]) : [];
    // That there is none is only said once the server has answered.
    void vscode.commands.executeCommand("setContext", "codemode.servers", !Array.isArray(servers) ? "unknown" : servers.length > 0 ? "some" : "none");
    this.tools = undefined;
    for (const s of this.list) {
      this.logs.update(s);
    }
    this.changed.fire(undefined);
    if (vscode.workspace.isTrusted) {
      this.waiting.setServers(this.list);
    }
  }

  private async request(method: string, params: object): Promise<void> {
    try {
      await this.server.running?.sendRequest(method, params);
    } catch (e) {
      await this.server.explain(e);
    }
  }

  private async pick(title: string): Promise<McpServer | undefined> {
    const items = this.list.map((server) => ({ label: line(server.name, 80), description: description(server), server }));
    return (await vscode.window.showQuickPick(items, { title }))?.server;
  }
}

function serverItem(s: McpServer): vscode.TreeItem {
  const item = new vscode.TreeItem(line(s.name, 80), s.tools > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
  item.id = `server ${s.name}`;
  item.description = description(s);
  item.iconPath = icon(s);
  item.contextValue = `server.${s.status}`;
  item.tooltip = [s.error, ...(s.faults ?? []), ...(s.problems ?? []), s.source && `Defined by ${s.source}${s.file === undefined ? "" : `: ${s.file}`}`, s.stderr].filter((t): t is string => !!t).map((t) => visible(t)).join("\n\n");
  if (s.auth === "required") {
    item.command = { command: "codemode.signIn", title: "Sign In…", arguments: [{ server: s } satisfies Row] };
  } else if (s.status === "untrusted") {
    item.command = { command: "codemode.servers.approve", title: "Approve…", arguments: [] };
  }
  return item;
}

function toolItem(t: CatalogTool): vscode.TreeItem {
  const item = new vscode.TreeItem(ownName(t.name));
  item.id = `tool ${t.name}`;
  const claims = describeAnnotations(t.annotations);
  item.description = [claims.includes("destructive") ? "destructive" : "", line(t.title ?? t.description, 80)].filter((d) => d !== "").join(" · ");
  item.iconPath = claims.includes("destructive") ? new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground")) : new vscode.ThemeIcon("symbol-method");
  item.tooltip = [t.name, t.description].map((d) => visible(d)).join("\n\n");
  item.contextValue = "tool";
  item.command = { command: "codemode.showTool", title: "Show Tool", arguments: [t.name] };
  return item;
}

function description(s: McpServer): string {
  if (s.auth === "required") {
    return "needs you to sign in";
  }
  switch (s.status) {
    case "connected":
      return count(s.tools, "tool") + (s.codeMode ? " · code-mode server" : "");
    case "connecting":
      return s.cached ? `connecting · ${count(s.tools, "known tool")}` : "connecting";
    case "failed":
      return `failed${s.error ? `: ${line(s.error, 80)}` : ""}`;
    case "untrusted":
      return s.approval?.refused ? "refused by you" : "waits for your approval";
    case "stopped":
      return s.self ? "codemode-ls itself" : "stopped";
    default:
      return line(s.status);
  }
}

function icon(s: McpServer): vscode.ThemeIcon {
  if (s.auth === "required") {
    return new vscode.ThemeIcon("key", new vscode.ThemeColor("list.warningForeground"));
  }
  switch (s.status) {
    case "connected":
      return new vscode.ThemeIcon("pass", new vscode.ThemeColor("testing.iconPassed"));
    case "connecting":
      return new vscode.ThemeIcon("loading~spin");
    case "failed":
      return new vscode.ThemeIcon("error", new vscode.ThemeColor("testing.iconFailed"));
    case "untrusted":
      return s.approval?.refused ? new vscode.ThemeIcon("shield") : new vscode.ThemeIcon("shield", new vscode.ThemeColor("list.warningForeground"));
    default:
      return new vscode.ThemeIcon("circle-slash");
  }
}
