// One run as it is known so far: events while it runs, the result at its end.
// And the list of runs, newest first.

import type { CallRecord, CallStatus, ExecEvent, ExecResult, Log, Output } from "./protocol";

/** How much of a flood of output is kept until the result comes. */
const liveLimit = 500;

/** What of a run is kept over a reload of the window. */
export interface SavedRun {
  id: string;
  uri: string;
  dryRun: boolean;
  startedAt: number;
  code?: string;
  result?: ExecResult;
  failure?: string;
}

export class RunModel {
  runId: string | undefined;
  calls: CallRecord[] = [];
  logs: Log[] = [];
  output: Output[] = [];
  result: ExecResult | undefined;
  /** Why there is no result: the request itself failed. */
  failure: string | undefined;
  /** Stop was pressed, and the end has not come yet. */
  stopping = false;
  /** When each call came into each of its states, in ms since the run's start. */
  readonly seen = new Map<number, Partial<Record<CallStatus, number>>>();

  /**
   * @param id the token that marks the run's events
   * @param code what runs when no document does; the uri then only has a name
   */
  constructor(
    readonly id: string,
    readonly uri: string,
    readonly dryRun: boolean,
    readonly startedAt: number,
    public code?: string,
  ) {}

  get running(): boolean {
    return this.result === undefined && this.failure === undefined;
  }

  /** Takes in an event of this run, which came at this time. */
  apply(event: ExecEvent, now: number): void {
    if (!this.running) {
      return;
    }
    this.runId = event.runId;
    if (event.call) {
      const call = event.call;
      const times = this.seen.get(call.index) ?? {};
      times[call.status] ??= now - this.startedAt;
      this.seen.set(call.index, times);
      const at = this.calls.findIndex((c) => c.index === call.index);
      if (at >= 0) {
        this.calls[at] = call;
      } else {
        this.calls.push(call);
        this.calls.sort((a, b) => a.index - b.index);
      }
    }
    if (event.log && this.logs.length < liveLimit) {
      this.logs.push(event.log);
    }
    if (event.output && this.output.length < liveLimit) {
      this.output.push(event.output);
    }
  }

  /** The end: the result holds everything, whatever events were missed. */
  finish(result: ExecResult): void {
    this.runId = result.runId;
    this.result = result;
    this.calls = result.calls;
    this.logs = result.logs;
    this.output = result.output;
  }

  /** There will be no result; calls that were under way are of unknown outcome. */
  fail(message: string): void {
    this.failure = message;
    this.calls = this.calls.map((c) => (isUnderWay(c.status) ? { ...c, status: "cancelled" } : c));
  }

  save(): SavedRun {
    return {
      id: this.id,
      uri: this.uri,
      dryRun: this.dryRun,
      startedAt: this.startedAt,
      ...(this.code === undefined ? {} : { code: this.code }),
      ...(this.result ? { result: this.result } : {}),
      ...(this.failure === undefined ? {} : { failure: this.failure }),
    };
  }

  static restore(saved: SavedRun): RunModel {
    const run = new RunModel(saved.id, saved.uri, saved.dryRun, saved.startedAt, saved.code);
    if (saved.result) {
      run.finish(saved.result);
    } else {
      run.fail(saved.failure ?? "The window was closed while this script ran.");
    }
    return run;
  }
}

/** A run whose script an agent wrote, and which has the script's text. */
export function isAgents(run: RunModel): boolean {
  return run.uri.startsWith("codemode-agent:") && run.code !== undefined && run.code !== "";
}

export function isUnderWay(status: CallStatus): boolean {
  return status === "queued" || status === "waiting" || status === "running";
}

/** Runs that are kept in the list. */
const maxRuns = 30;

/** All runs, newest first. An event belongs to the run whose token it carries: nothing is guessed. */
export class Runs {
  readonly list: RunModel[] = [];

  start(run: RunModel): void {
    this.list.unshift(run);
    const finished = this.list.filter((r) => !r.running);
    for (const old of finished.slice(maxRuns)) {
      this.list.splice(this.list.indexOf(old), 1);
    }
  }

  find(id: string): RunModel | undefined {
    return this.list.find((r) => r.id === id);
  }

  /** The run that an event belongs to, updated by it; undefined for those of others. */
  apply(event: ExecEvent, now: number): RunModel | undefined {
    const run = event.token === undefined ? undefined : this.find(event.token);
    run?.apply(event, now);
    return run;
  }

  /** An agent's run, from the first of its events on: its token is made of the run's id. */
  ofAgent(event: ExecEvent, now: number): { run: RunModel; first: boolean } | undefined {
    if (event.agent === undefined || event.token !== undefined) {
      return undefined;
    }
    const id = `agent ${event.runId}`;
    let run = this.find(id);
    const first = run === undefined;
    if (!run) {
      run = new RunModel(id, `codemode-agent:/${encodeURIComponent(`a script of ${event.agent.replaceAll("/", "_")}`)}`, false, now, "");
      this.start(run);
    }
    run.apply(event, now);
    return { run, first };
  }

  get running(): RunModel[] {
    return this.list.filter((r) => r.running);
  }
}
