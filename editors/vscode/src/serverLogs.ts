// What servers wrote to their standard error, kept over crashes. A status has the
// end of it only; what follows what is known is added. Pure.

import type { Server } from "./protocol";

const maxChars = 400_000;

export class ServerLogs {
  private readonly texts = new Map<string, { text: string; last: string; error: string | undefined }>();

  /** Takes in a server's status. */
  update(s: Server): void {
    const log = this.texts.get(s.name) ?? { text: "", last: "", error: undefined };
    const tail = s.stderr ?? "";
    if (tail !== log.last && tail !== "") {
      log.text += added(log.last, tail);
      log.last = tail;
    } else if (tail === "") {
      log.last = "";
    }
    if (s.error !== log.error) {
      log.error = s.error;
      if (s.error !== undefined) {
        log.text += `${log.text === "" || log.text.endsWith("\n") ? "" : "\n"}── ${s.status}: ${s.error}\n`;
      }
    }
    log.text = log.text.slice(-maxChars);
    this.texts.set(s.name, log);
  }

  text(name: string): string {
    return this.texts.get(name)?.text ?? "";
  }
}

/** The part of the new tail that was not at the end of the old one. */
function added(before: string, tail: string): string {
  for (let n = Math.min(before.length, tail.length); n > 0; n--) {
    if (before.endsWith(tail.slice(0, n))) {
      return tail.slice(n);
    }
  }
  return (before === "" || before.endsWith("\n") ? "" : "\n") + tail;
}
