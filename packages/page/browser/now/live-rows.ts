import type { LiveRequest, PageEntry } from "../../access/contract.js";

export interface LiveRow extends Pick<LiveRequest, "id" | "client" | "model" | "round" | "side"> {
  readonly state: { readonly kind: "open"; readonly request: LiveRequest } | EndedState;
}

export interface EndedState {
  readonly kind: "ended";
  /** When the page learned that it ended. */
  readonly seenMs: number;
  /** Null until the gateway has sent it. */
  readonly outcome: string | null;
  readonly totalMs: number | null;
}

interface News {
  /** Newest first. */
  readonly requests: readonly LiveRequest[];
  /** Number of older ones, which are not sent. */
  readonly moreRequests: number;
  /** Newest first. */
  readonly ended: readonly PageEntry[];
  readonly nowMs: number;
  /** True while the list is pointed at or focused: then nothing is removed. */
  readonly isHeld: boolean;
}

export const MAX_ROWS = 6;
/** Ended rows stay this long, because many requests end before their row can be read. */
export const LINGER_MS = 6_000;

/** The rows after an update. New ones are appended; in a full list they replace those that ended first. */
export function nextRows(before: readonly LiveRow[], news: News): readonly LiveRow[] {
  const { requests, ended, nowMs, isHeld } = news;
  const open = new Map(requests.map((request) => [request.id, request]));
  const over = new Map(ended.map((entry) => [entry.id, entry]));
  const rows = before
    .filter((row) => open.has(row.id) || over.has(row.id) || !isUntold(row, news))
    .map((row) => renewed(row, open.get(row.id), over.get(row.id), nowMs))
    .filter(({ state }) => isHeld || state.kind === "open" || nowMs - state.seenMs < LINGER_MS);
  const shown = new Set(rows.map(({ id }) => id));
  for (const request of requests.toReversed()) {
    if (!shown.has(request.id) && !over.has(request.id)) place(rows, rowOf(request, { kind: "open", request }));
  }
  for (const entry of ended.toReversed()) {
    const { outcome, totalMs } = entry;
    const state = { kind: "ended", seenMs: nowMs, outcome, totalMs } as const;
    if (!shown.has(entry.id) && rows.length < MAX_ROWS) rows.push(rowOf(entry, state));
  }
  return rows.length === 0 && before.length === 0 ? before : rows;
}

/** If more requests run than are sent, a missing old one may still be running. */
function isUntold({ state }: LiveRow, { requests, moreRequests }: News): boolean {
  const oldestToldMs = requests.at(-1)?.startedMs ?? 0;
  return moreRequests > 0 && state.kind === "open" && state.request.startedMs <= oldestToldMs;
}

type Maybe<Told> = Told | undefined;

function renewed(row: LiveRow, request: Maybe<LiveRequest>, entry: Maybe<PageEntry>, nowMs: number): LiveRow {
  // The end is sent only once, and the list of open requests may be older than it.
  const isOver = entry !== undefined || (row.state.kind === "ended" && row.state.outcome !== null);
  if (request !== undefined && !isOver) return rowOf(request, { kind: "open", request });
  const known = row.state.kind === "ended" ? row.state : { seenMs: nowMs, outcome: null, totalMs: null };
  const outcome = entry?.outcome ?? known.outcome;
  const totalMs = entry?.totalMs ?? known.totalMs;
  return { ...row, state: { kind: "ended", seenMs: known.seenMs, outcome, totalMs } };
}

/** If the list is full and no row has ended, the new request is only counted. */
function place(rows: LiveRow[], row: LiveRow): void {
  if (rows.length < MAX_ROWS) {
    rows.push(row);
    return;
  }
  const endedMs = rows.map(({ state }) => (state.kind === "ended" ? state.seenMs : Number.POSITIVE_INFINITY));
  const first = Math.min(...endedMs);
  if (first !== Number.POSITIVE_INFINITY) rows[endedMs.indexOf(first)] = row;
}

function rowOf({ id, client, model, round, side }: Omit<LiveRow, "state">, state: LiveRow["state"]): LiveRow {
  return { id, client, model, round, side, state };
}
