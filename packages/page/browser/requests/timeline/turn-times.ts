import type { PageEntry, TimedRequest } from "../../../access/contract.js";

export type Phase = "curlew" | "cursor" | "reply" | "own-tools" | "client-tools";

export const phaseNames: Readonly<Record<Phase, string>> = {
  curlew: "Curlew",
  cursor: "Waiting for Cursor",
  reply: "Reply",
  "own-tools": "Curlew's tools",
  "client-tools": "The client's tools",
};

const phases = Object.keys(phaseNames) as readonly Phase[];

/** Times are relative to the start of the turn. */
export interface Segment {
  readonly phase: Phase;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Moment {
  readonly name: "received" | "planned" | "opened" | "first byte" | "finished";
  readonly atMs: number;
}

export type Lane = Readonly<ReturnType<typeof laneOf>>;

export type TurnTimes = ReturnType<typeof turnTimesOf>;

/** Timeline of the requests of a turn. `runsAtMs` is the gateway's time if the last one is still running. */
export function turnTimesOf(turn: readonly TimedRequest[], runsAtMs?: number, firstNumber = 1) {
  const beganMs = turn[0]?.entry.atMs ?? 0;
  const lanes = turn.map((request, index) =>
    laneOf(request, firstNumber + index, beganMs, index === turn.length - 1 ? runsAtMs : undefined),
  );
  return { beganMs, wholeMs: Math.max(1, ...lanes.map(({ toMs }) => toMs)), lanes };
}

/** One request of the turn, numbered by its position, preceded by the client's tools. */
function laneOf(request: TimedRequest, number: number, beganMs: number, runsAtMs: number | undefined) {
  const { entry, detail } = request;
  const startMs = entry.atMs - beganMs;
  const isRunning = runsAtMs !== undefined;
  const endMs = isRunning ? Math.max(0, runsAtMs - entry.atMs) : (entry.totalMs ?? entry.firstByteMs ?? 0);
  const at = (name: Moment["name"], ms: number | null | undefined): Moment[] =>
    ms == null ? [] : [{ name, atMs: startMs + Math.min(ms, endMs) }];
  const shift = ({ phase, fromMs, toMs }: Segment) => ({ phase, fromMs: startMs + fromMs, toMs: startMs + toMs });
  return {
    id: entry.id,
    number,
    fromMs: startMs,
    toMs: startMs + endMs,
    isRunning,
    /** In order of time, without overlaps. */
    segments: [...clientTools(request, startMs), ...segmentsOf(request, endMs, isRunning).map(shift)],
    moments: [
      ...at("received", 0),
      ...at("planned", detail?.plannedMs),
      ...at("opened", detail?.openedMs),
      ...at("first byte", entry.firstByteMs),
      ...at("finished", entry.totalMs),
    ],
  };
}

/** The client's tools ran between requests, and are shown with the one that brings their results. */
function clientTools({ detail }: TimedRequest, startMs: number): Segment[] {
  const toolsMs = Math.min(detail?.clientToolsMs ?? 0, startMs);
  return toolsMs > 0 ? [{ phase: "client-tools", fromMs: startMs - toolsMs, toMs: startMs }] : [];
}

function segmentsOf(request: TimedRequest, endMs: number, isRunning: boolean): Segment[] {
  const { entry, detail } = request;
  const firstMs = Math.min(entry.firstByteMs ?? endMs, endMs);
  const openedMs = Math.min(whenOpened(request, endMs, isRunning), firstMs);
  const pauses = (detail?.pauses ?? []).map(
    ({ startedMs, endedMs }): Segment => ({
      phase: "own-tools",
      fromMs: startedMs,
      toMs: Math.min(endedMs, endMs),
    }),
  );
  const others: Segment[] = [
    { phase: "curlew", fromMs: 0, toMs: openedMs },
    { phase: "cursor", fromMs: openedMs, toMs: firstMs },
    { phase: "reply", fromMs: firstMs, toMs: endMs },
  ];
  return [...others.flatMap((each) => without(each, pauses)), ...pauses]
    .filter(({ fromMs, toMs }) => toMs > fromMs)
    .sort((one, other) => one.fromMs - other.fromMs);
}

function whenOpened({ detail }: TimedRequest, endMs: number, isRunning: boolean): number {
  // A request without a run of its own waits for the run that it brought results to.
  const knownMs = detail?.openedMs ?? detail?.plannedMs;
  if (knownMs != null) return isRunning && detail?.openedMs == null ? endMs : knownMs;
  // A request that was never planned had nothing to wait for, unless it joined another one.
  return isRunning || (detail !== null && detail.joined === null) ? endMs : 0;
}

/** The parts of a segment outside of these pauses. */
function without(segment: Segment, pauses: readonly Segment[]): Segment[] {
  return pauses.reduce<Segment[]>(
    (rest, pause) =>
      rest.flatMap((each) =>
        [
          { ...each, toMs: Math.min(each.toMs, pause.fromMs) },
          { ...each, fromMs: Math.max(each.fromMs, pause.toMs) },
        ].filter(({ fromMs, toMs }) => toMs > fromMs),
      ),
    [segment],
  );
}

/** Total time of each phase, in the order of the legend, without empty ones. */
export function phaseSums({ lanes }: TurnTimes): { readonly phase: Phase; readonly ms: number }[] {
  const segments = lanes.flatMap((lane) => lane.segments);
  return phases.flatMap((phase) => {
    const ms = segments.reduce((sum, each) => (each.phase === phase ? sum + each.toMs - each.fromMs : sum), 0);
    return ms > 0 ? [{ phase, ms }] : [];
  });
}

/** Position of a request in its turn, from zero. Also compares times, because clients may reuse ids. */
export function placeIn(turn: readonly TimedRequest[], { id, atMs }: PageEntry): number {
  const place = turn.findIndex(({ entry }) => entry.id === id && entry.atMs === atMs);
  return Math.max(0, place);
}
