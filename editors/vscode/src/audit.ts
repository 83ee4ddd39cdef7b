// The audit log as a view: what was decided about each call, newest first.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { decidedBy } from "./auditText";
import { ownName } from "./permissionText";
import { Method, type AuditEntry } from "./protocol";
import type { Feature, Server } from "./server";
import { line, visible } from "./text";

const icons: Record<string, vscode.ThemeIcon> = {
  allow: new vscode.ThemeIcon("pass", new vscode.ThemeColor("testing.iconPassed")),
  deny: new vscode.ThemeIcon("circle-slash", new vscode.ThemeColor("testing.iconFailed")),
};

export class Audit implements Feature, vscode.TreeDataProvider<AuditEntry>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {}

  attach(client: LanguageClient): void {
    client.onDidChangeState(() => {
      this.refresh();
    });
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  getTreeItem(e: AuditEntry): vscode.TreeItem {
    const item = new vscode.TreeItem(ownName(e.tool));
    const at = new Date(e.time);
    // Who decided comes first: a narrow view cuts the end.
    item.description = `${decidedBy(e)} · ${Number.isNaN(at.getTime()) ? line(e.time, 30) : at.toLocaleString()}`;
    item.iconPath = icons[e.decision] ?? new vscode.ThemeIcon("circle-outline");
    item.tooltip = [line(e.tool, 240), decidedBy(e), e.reason === undefined ? "" : visible(e.reason), e.time].filter((t) => t !== "").join("\n");
    item.accessibilityInformation = { label: `${ownName(e.tool)}, ${item.description}` };
    return item;
  }

  async getChildren(e?: AuditEntry): Promise<AuditEntry[]> {
    if (e || !this.server.running) {
      return [];
    }
    return await this.server.running.sendRequest<AuditEntry[]>(Method.audit, {}).catch(() => []);
  }

  dispose(): void {
    this.changed.dispose();
  }
}
