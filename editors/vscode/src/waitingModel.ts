// What waits for a person: calls of scripts (PERM-6), servers that a workspace
// names (TRUST-1), and answers that a configuration file asks for. Pure.

import { undecided } from "./approvalText";
import type { Approval, CallRecord, ExecEvent, InputQuestion, PermissionRequest, Server } from "./protocol";

/** Something with buttons of its own. The key is unique and never used again. */
export type Item =
  | { kind: "call"; key: string; request: PermissionRequest }
  | { kind: "server"; key: string; server: Server & { approval: Approval } }
  | { kind: "input"; key: string; question: InputQuestion };

/** A call that the server will ask about later: one is asked at a time (PERM-8). */
export interface Upcoming {
  runId: string;
  uri?: string;
  call: CallRecord;
}

export class Waiting {
  /** Calls first, because a script stands still; then in the order in which they came. */
  readonly items: Item[] = [];
  private readonly calls = new Map<string, Upcoming>();
  private readonly putOff = new Set<string>();

  add(item: Item): void {
    const firstOther = this.items.findIndex((i) => i.kind !== "call");
    this.items.splice(item.kind === "call" && firstOther >= 0 ? firstOther : this.items.length, 0, item);
  }

  remove(key: string): void {
    const at = this.items.findIndex((i) => i.key === key);
    if (at >= 0) {
      this.items.splice(at, 1);
    }
  }

  find(key: string): Item | undefined {
    return this.items.find((i) => i.key === key);
  }

  /** Follows the calls of runs; says whether something here has changed. */
  apply(event: ExecEvent): boolean {
    if (event.kind === "finished") {
      let changed = false;
      for (const [key, waiting] of this.calls) {
        if (waiting.runId === event.runId) {
          changed = this.calls.delete(key) || changed;
        }
      }
      return changed;
    }
    if (!event.call) {
      return false;
    }
    const key = `${event.runId} ${event.call.index}`;
    if (event.call.status === "waiting") {
      this.calls.set(key, { runId: event.runId, call: event.call, ...(event.uri === undefined ? {} : { uri: event.uri }) });
      return true;
    }
    return this.calls.delete(key);
  }

  /** The calls that no question is open about yet, in the order in which they will be asked. */
  get upcoming(): Upcoming[] {
    const open = new Set(this.items.flatMap((i) => (i.kind === "call" ? [`${i.request.runId} ${i.request.call}`] : [])));
    return [...this.calls].filter(([key]) => !open.has(key)).map(([, u]) => u);
  }

  /** How many calls of the same tool in the same run wait, the one of the request included. */
  alike(request: PermissionRequest): number {
    return 1 + this.upcoming.filter((u) => u.runId === request.runId && u.call.tool === request.tool).length;
  }

  /**
   * The servers as they are now: those that nobody has decided on become items.
   * With again also those that were put off, or refused before.
   */
  servers(all: readonly Server[], again = false): void {
    if (again) {
      this.putOff.clear();
    }
    const unapproved = new Map<string, Server & { approval: Approval }>(all.flatMap((s) => (hasApproval(s) ? [[`server ${s.name} ${s.approval.hash}`, s] as const] : [])));
    for (const item of [...this.items]) {
      if (item.kind === "server" && !unapproved.has(item.key)) {
        this.remove(item.key);
      }
    }
    for (const [key, server] of unapproved) {
      if ((again || undecided(server)) && !this.putOff.has(key) && !this.find(key)) {
        this.add({ kind: "server", key, server });
      }
    }
  }

  /** A person wants to decide later: the item returns when asked for. */
  later(key: string): void {
    this.putOff.add(key);
    this.remove(key);
  }

  /** A person has refused all servers of the workspace. */
  withoutServers(): void {
    for (const item of this.items.filter((i) => i.kind === "server")) {
      this.remove(item.key);
    }
  }

  /** The connection has ended, and with it everything that waited. */
  clear(): void {
    this.items.length = 0;
    this.calls.clear();
  }

  get count(): number {
    return this.items.length + this.upcoming.length;
  }
}

function hasApproval(s: Server): s is Server & { approval: Approval } {
  return s.approval !== undefined;
}
