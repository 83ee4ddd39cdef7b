// Asking a person for the input of a script.

import * as vscode from "vscode";
import type { LanguageClient, TextDocumentIdentifier } from "vscode-languageclient/node";
import { needsInput, offers, wrong } from "./inputText";
import { Method, type ScriptSchema } from "./protocol";

/** Inputs of scripts, asked for when a script cannot run without. */
export class ScriptInputs {
  private readonly last = new Map<string, string>();

  /**
   * The input for a run: undefined for none; null when the person has closed the
   * question, so that nothing runs.
   */
  async ask(client: LanguageClient, document: vscode.TextDocument): Promise<{ input?: unknown } | null> {
    if (!document.getText().includes("export")) {
      return {};
    }
    const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
    const schema = await describe(client, textDocument);
    if (schema === undefined || !needsInput(schema)) {
      return {};
    }
    const uri = document.uri.toString();
    const list = offers(schema, this.last.get(uri));
    const title = `Input of ${vscode.workspace.asRelativePath(document.uri)}`;
    const chosen = list.length === 1 ? list[0] : await vscode.window.showQuickPick(list, { title, placeHolder: "What should the script get? You can change it in the next step." });
    if (chosen === undefined) {
      return null;
    }
    const text = await vscode.window.showInputBox({
      title,
      prompt: "JSON that fits the type of the script's parameter",
      value: chosen.text,
      ignoreFocusOut: true,
      validateInput: (value) => check(client, textDocument, value),
    });
    if (text === undefined) {
      return null;
    }
    this.last.set(uri, text);
    return { input: JSON.parse(text) as unknown };
  }
}

/** The server may be older, or without a TypeScript engine: then the run says what is wrong. */
async function describe(client: LanguageClient, textDocument: TextDocumentIdentifier, input?: unknown): Promise<ScriptSchema | undefined> {
  try {
    return await client.sendRequest<ScriptSchema>(Method.scriptSchema, { textDocument, input });
  } catch {
    return undefined;
  }
}

async function check(client: LanguageClient, textDocument: TextDocumentIdentifier, text: string): Promise<string | undefined> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (e) {
    return e instanceof Error ? e.message : "This is not JSON.";
  }
  const schema = await describe(client, textDocument, input);
  return schema && wrong(schema);
}
