// The calls of a run on one time axis: for each, when it waited for a person,
// when for its turn, when it was at its server. Pure.

import type { RunModel } from "./runModel";
import type { CallRecord } from "./protocol";

export type Phase = "waiting" | "queued" | "running";

/** A part of a bar, in per cent of the axis. */
export interface Segment {
  phase: Phase;
  left: number;
  width: number;
}

export interface Bar {
  segments: Segment[];
  /** The call's own time: without waiting for a person or for its turn. */
  ownMs: number | undefined;
  waitedMs: number;
}

interface Interval {
  from: number;
  to: number;
}

/** A call's phases in ms since the run's start. */
function phases(run: RunModel, c: CallRecord, now: number): (Interval & { phase: Phase })[] {
  const t = c.timing;
  const list: (Interval & { phase: Phase })[] = [];
  const add = (phase: Phase, from: number, to: number): number => {
    if (to > from) {
      list.push({ phase, from, to });
    }
    return Math.max(from, to);
  };
  if (t?.endMs !== undefined && t.startMs !== undefined) {
    let at = t.startMs;
    at = add("waiting", at, at + t.permissionMs);
    at = add("queued", at, at + t.queuedMs);
    add("running", at, t.endMs);
    return list;
  }
  // While the run goes on: what was seen, up to now.
  const seen = run.seen.get(c.index) ?? {};
  const end = c.status === "queued" || c.status === "waiting" || c.status === "running" ? now : (seen[c.status] ?? now);
  const begins = (["waiting", "queued", "running"] as const).flatMap((phase) => (seen[phase] === undefined ? [] : [{ phase, at: seen[phase] }])).sort((a, b) => a.at - b.at);
  begins.forEach((b, i) => add(b.phase, b.at, begins[i + 1]?.at ?? end));
  return list;
}

/** Intervals as few as possible, in order. */
function union(list: readonly Interval[]): Interval[] {
  const out: Interval[] = [];
  for (const i of [...list].sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && i.from <= last.to) {
      last.to = Math.max(last.to, i.to);
    } else {
      out.push({ ...i });
    }
  }
  return out;
}

/** Parts of a that are in no interval of b. */
function without(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  let rest = a.map((i) => ({ ...i }));
  for (const cut of b) {
    rest = rest.flatMap((i) => (cut.to <= i.from || cut.from >= i.to ? [i] : [{ from: i.from, to: cut.from }, { from: cut.to, to: i.to }].filter((p) => p.to > p.from)));
  }
  return rest;
}

/** How much of the axis all waiting for a person may take, when nothing else happened meanwhile. */
const waitingShare = 0.15;

export interface Waterfall {
  bars: Bar[];
  /** Length of the axis in ms, waiting for a person left out. */
  lengthMs: number;
  /** Times in which nothing but a person was waited for are drawn shorter. */
  shortened: boolean;
}

/** @param now ms since the run's start, for a run under way */
export function waterfall(run: RunModel, now: number): Waterfall {
  const calls = run.calls.map((c) => phases(run, c, now));
  const all = calls.flat();
  const busy = union(all.filter((p) => p.phase !== "waiting"));
  const held = without(union(all.filter((p) => p.phase === "waiting")), busy);
  const end = Math.max(1, run.running ? now : 0, ...all.map((p) => p.to));
  const heldMs = held.reduce((n, i) => n + i.to - i.from, 0);
  const freeMs = Math.max(1, end - heldMs);
  // The scale of held times: as it is when it is little, else squeezed.
  const squeeze = heldMs > freeMs * waitingShare ? (freeMs * waitingShare) / heldMs : 1;
  const length = freeMs + heldMs * squeeze;
  const place = (t: number): number => {
    const before = held.reduce((n, i) => n + Math.max(0, Math.min(t, i.to) - i.from), 0);
    return ((t - before + before * squeeze) / length) * 100;
  };
  const bars = calls.map((list): Bar => {
    const own = list.filter((p) => p.phase === "running").reduce((n, p) => n + p.to - p.from, 0);
    return {
      segments: list.map((p) => ({ phase: p.phase, left: round(place(p.from)), width: round(Math.max(place(p.to) - place(p.from), 0.6)) })),
      ownMs: list.some((p) => p.phase === "running") ? own : undefined,
      waitedMs: list.filter((p) => p.phase === "waiting").reduce((n, p) => n + p.to - p.from, 0),
    };
  });
  return { bars, lengthMs: freeMs, shortened: squeeze < 1 };
}

function round(n: number): number {
  return Math.round(n * 100) / 100;
}
