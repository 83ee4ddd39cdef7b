// Asks for what a configuration file asks of a person as ${input:id}. The server
// keeps the answer for its session.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { Method, type InputAnswer, type InputQuestion } from "./protocol";
import type { Queue } from "./queue";
import type { Feature } from "./server";

export class InputPrompts implements Feature {
  constructor(private readonly queue: Queue) {}

  attach(client: LanguageClient): void {
    client.onRequest(Method.input, (question: InputQuestion, token: vscode.CancellationToken) =>
      this.queue.add(() => ask(question, token)),
    );
  }
}

async function ask(question: InputQuestion, token: vscode.CancellationToken): Promise<InputAnswer> {
  const title = `${vscode.workspace.asRelativePath(question.file)} asks for ${question.id}`;
  const prompt = question.description ?? "";
  const value = question.options
    ? await vscode.window.showQuickPick(question.options, { title, placeHolder: prompt, ignoreFocusOut: true }, token)
    : await vscode.window.showInputBox(
        {
          title,
          prompt,
          password: question.password === true,
          ignoreFocusOut: true,
          ...(question.default === undefined ? {} : { value: question.default }),
        },
        token,
      );
  return value === undefined ? {} : { value };
}
