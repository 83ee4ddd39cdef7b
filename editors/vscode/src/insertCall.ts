// Writes a call of a tool into the script that is open.

import * as vscode from "vscode";
import { Method, type ToolDescription } from "./protocol";
import type { Server } from "./server";
import { insertion } from "./insertText";

/** Inserts the call where the cursor is, with a place to fill in for each required field. */
export async function insertCall(server: Server, name: string): Promise<void> {
  const editor = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find((e) => e?.document.languageId === "codemode");
  if (!editor) {
    void vscode.window.showInformationMessage("Open an Exec script (*.exec.ts) to insert the call into it.");
    return;
  }
  const described = await server.running?.sendRequest<ToolDescription>(Method.describe, { name }).catch(() => undefined);
  const at = editor.selection.active;
  const { text, position } = insertion(editor.document.lineAt(at.line).text, at.character, name, described?.snippet);
  const place = position === "next line" ? editor.document.lineAt(at.line).range.end : at;
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
  await editor.insertSnippet(new vscode.SnippetString(text), place);
}
