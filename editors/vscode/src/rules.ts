// The permission rules: a view of them with their effect, and ways to add and
// remove one that can be undone.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Method, type PermissionRule } from "./protocol";
import type { Feature, Server } from "./server";
import { line } from "./text";

const layers: Record<string, string> = {
  session: "This session",
  workspace: "This workspace",
  user: "Everywhere",
};

/** Layers that this view can change; others are files that people edit. */
const writable = new Set(["session", "workspace", "user"]);

const effects: Record<string, { icon: string; color: string; words: string }> = {
  allow: { icon: "pass", color: "testing.iconPassed", words: "allowed without asking" },
  ask: { icon: "question", color: "list.warningForeground", words: "asked each time" },
  deny: { icon: "circle-slash", color: "testing.iconFailed", words: "denied" },
};

export class Rules implements Feature, vscode.TreeDataProvider<PermissionRule>, vscode.Disposable {
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

  getTreeItem(r: PermissionRule): vscode.TreeItem {
    const effect = effects[r.effect];
    const item = new vscode.TreeItem(line(r.rule, 200));
    item.description = `${effect?.words ?? r.effect} · ${layers[r.layer] ?? r.layer}`;
    item.iconPath = new vscode.ThemeIcon(effect?.icon ?? "law", effect && new vscode.ThemeColor(effect.color));
    item.tooltip = `${r.rule}: ${effect?.words ?? r.effect}\n${layers[r.layer] ?? r.layer}`;
    item.contextValue = writable.has(r.layer) ? "rule.own" : "rule";
    if (r.source) {
      const at = r.source.range.start;
      item.command = {
        command: "vscode.open",
        title: "Open",
        arguments: [vscode.Uri.parse(r.source.uri, true), { selection: new vscode.Range(at.line, at.character, at.line, at.character) }],
      };
    }
    return item;
  }

  async getChildren(r?: PermissionRule): Promise<PermissionRule[]> {
    if (r) {
      return [];
    }
    return (await this.server.running?.sendRequest<PermissionRule[]>(Method.permissions, {}).catch(() => [])) ?? [];
  }

  /** Removes a rule; the message has the way back. */
  async remove(r: PermissionRule): Promise<void> {
    if (await this.set(r.rule, "remove", r.layer)) {
      await this.report(`Removed the rule ${line(r.rule)}.`, () => this.set(r.rule, r.effect, r.layer));
    }
  }

  async add(): Promise<void> {
    const rule = await vscode.window.showInputBox({ title: "Add permission rule", prompt: "A tool's full name, with * for a part of it", placeHolder: "mcp__github__get_*", ignoreFocusOut: true });
    if (rule === undefined || rule.trim() === "") {
      return;
    }
    const effect = await vscode.window.showQuickPick(
      Object.entries(effects).map(([id, e]) => ({ label: id, description: e.words })),
      { title: rule, ignoreFocusOut: true },
    );
    const layer = effect && (await vscode.window.showQuickPick(Object.entries(layers).map(([id, label]) => ({ id, label })), { title: `${effect.label} ${rule}`, ignoreFocusOut: true }));
    if (layer && (await this.set(rule.trim(), effect.label, layer.id))) {
      await this.report(`Added the rule ${line(rule)}.`, () => this.set(rule.trim(), "remove", layer.id));
    }
  }

  /** After a quick fix or a lens has set a rule by itself. */
  async didSet(args: readonly unknown[]): Promise<void> {
    this.refresh();
    const [rule, effect, layer] = typeof args[0] === "object" && args[0] !== null ? Object.values(args[0] as Record<string, unknown>) : args;
    if (typeof rule === "string" && typeof layer === "string" && typeof effect === "string" && effect !== "remove") {
      await this.report(`${line(rule)} is now ${effects[effect]?.words ?? effect} (${(layers[layer] ?? layer).toLowerCase()}).`, () => this.set(rule, "remove", layer));
    }
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async report(message: string, undo: () => Promise<boolean>): Promise<void> {
    const choice = await vscode.window.showInformationMessage(message, "Undo", "Show Rules");
    if (choice === "Undo") {
      await undo();
    } else if (choice === "Show Rules") {
      await vscode.commands.executeCommand("codemode.rules.focus");
    }
  }

  private async set(rule: string, effect: string, layer: string): Promise<boolean> {
    try {
      const client = await this.server.ready();
      await client.sendRequest(Method.setPermission, { rule, effect, layer });
      this.refresh();
      return true;
    } catch (e) {
      await this.server.explain(e);
      return false;
    }
  }
}
