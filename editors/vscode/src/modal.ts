// Modal questions. A modal takes the keyboard from somebody who may be typing,
// and its first button has the focus: an answer that comes sooner than anybody
// can have read the question is not one, and the question is asked again.

import * as vscode from "vscode";

/** Sooner than this is the end of a word, not an answer. */
const readingMs = 500;

/** Asks; undefined when the person closed the question. */
export async function askModal<T extends vscode.MessageItem>(message: string, detail: string, items: readonly T[]): Promise<T | undefined> {
  for (;;) {
    const shown = performance.now();
    const choice = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...items);
    const closed = choice === undefined || choice.isCloseAffordance === true;
    if (closed || performance.now() - shown >= readingMs) {
      return choice;
    }
  }
}
