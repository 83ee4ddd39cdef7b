// One run as it is known so far: events while it runs, the result at its end.

import type { CallRecord, ExecEvent, ExecResult, Log, Output } from "./protocol";

/** How much of a flood of output is kept until the result comes. */
const liveLimit = 500;

export class RunModel {
  runId: string | undefined;
  calls: CallRecord[] = [];
  logs: Log[] = [];
  output: Output[] = [];
  result: ExecResult | undefined;
  /** Why there is no result: the request itself failed. */
  failure: string | undefined;

  constructor(
    readonly uri: string,
    readonly dryRun: boolean,
  ) {}

  get running(): boolean {
    return this.result === undefined && this.failure === undefined;
  }

  /** Takes in an event of this run. */
  apply(event: ExecEvent): void {
    if (!this.running) {
      return;
    }
    this.runId = event.runId;
    if (event.call) {
      const call = event.call;
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

  fail(message: string): void {
    this.failure = message;
  }
}

/**
 * Runs that wait for their end. An event names its run; a run learns its id from
 * its "started" event, which is the oldest run's (of the same script, when the
 * event says which) that has none yet.
 */
export class Runs {
  private readonly active: RunModel[] = [];

  start(uri: string, dryRun: boolean): RunModel {
    const run = new RunModel(uri, dryRun);
    this.active.push(run);
    return run;
  }

  end(run: RunModel): void {
    const at = this.active.indexOf(run);
    if (at >= 0) {
      this.active.splice(at, 1);
    }
  }

  /** The run that an event belongs to, updated by it. */
  apply(event: ExecEvent): RunModel | undefined {
    const run =
      this.active.find((r) => r.runId === event.runId) ??
      this.active.find((r) => r.runId === undefined && (event.uri === undefined || event.uri === r.uri));
    run?.apply(event);
    return run;
  }

  get count(): number {
    return this.active.length;
  }
}
