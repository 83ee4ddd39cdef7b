// The MCP servers: their list, the tree that shows it, and the question whether
// a server that the workspace names may be started (TRUST-1).

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Method, type Server as McpServer } from "./protocol";
import type { Feature, Server } from "./server";
import type { WaitingList } from "./waiting";
import { count, line, visible } from "./text";

export class Servers implements Feature, vscode.TreeDataProvider<McpServer>, vscode.Disposable {
  private list: McpServer[] = [];
  private readonly changed = new vscode.EventEmitter<undefined>();
  /** The list is new. */
  readonly onDidChange = this.changed.event;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly waiting: WaitingList,
  ) {
    waiting.onDidDecide((d) => this.request(Method.approveServer, d));
  }

  get all(): readonly McpServer[] {
    return this.list;
  }

  attach(client: LanguageClient): void {
    // The params are a list, which the client library hands over one by one.
    client.onNotification(Method.serversChanged, (...servers: unknown[]) => {
      this.set(servers);
    });
    client.onDidChangeState(() => {
      if (this.server.state === "ready") {
        void this.refresh();
      }
    });
  }

  /** Asks the server for the list. */
  async refresh(): Promise<void> {
    const client = this.server.running;
    this.set(client ? await client.sendRequest<unknown>(Method.servers, {}).catch(() => []) : []);
  }

  async restart(s: McpServer | undefined): Promise<void> {
    const chosen = s ?? (await this.pick("Restart which MCP server?"));
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

  /** The end of a server's standard error, in an editor. */
  async showErrors(s: McpServer | undefined): Promise<void> {
    const chosen = s ?? (await this.pick("Show the error output of which MCP server?"));
    if (chosen) {
      const content = [chosen.error, chosen.stderr].filter((t): t is string => !!t).map(visible).join("\n\n");
      const document = await vscode.workspace.openTextDocument({ content: content || "Nothing was written.", language: "log" });
      await vscode.window.showTextDocument(document, { preview: true });
    }
  }

  getTreeItem(s: McpServer): vscode.TreeItem {
    const item = new vscode.TreeItem(line(s.name, 80));
    item.id = s.name;
    item.description = description(s);
    item.iconPath = icon(s);
    item.contextValue = `server.${s.status}`;
    item.tooltip = [s.error, ...(s.faults ?? []), ...(s.problems ?? []), s.source && `from ${s.source}`, s.stderr].filter((t): t is string => !!t).map((t) => visible(t)).join("\n\n");
    if (s.status === "untrusted") {
      item.command = { command: "codemode.servers.approve", title: "Approve…", arguments: [] };
    }
    return item;
  }

  getChildren(s?: McpServer): McpServer[] {
    return s ? [] : this.list;
  }

  dispose(): void {
    this.changed.dispose();
  }

  private set(servers: unknown): void {
    this.list = Array.isArray(servers) ? (servers as McpServer[]) : [];
    this.changed.fire(undefined);
    this.waiting.setServers(this.list);
  }

  private async request(method: string, params: object): Promise<void> {
    try {
      await this.server.running?.sendRequest(method, params);
    } catch (e) {
      void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
    }
  }

  private async pick(title: string): Promise<McpServer | undefined> {
    const items = this.list.map((server) => ({ label: line(server.name, 80), description: description(server), server }));
    return (await vscode.window.showQuickPick(items, { title }))?.server;
  }
}

function description(s: McpServer): string {
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
