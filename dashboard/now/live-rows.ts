import type { LiveRequest, PageEntry } from "../../src/page/contract.js";

export interface LiveRow extends Pick<LiveRequest, "id" | "client" | "model" | "round"> {
  readonly state: { readonly kind: "open"; readonly request: LiveRequest } | EndedState;
}

export interface EndedState {
  readonly kind: "ended";
  /** When the page learned of it. */
  readonly seenMs: number;
  /** Null until the gateway has told. */
  readonly outcome: string | null;
  readonly totalMs: number | null;
}

interface News {
  /** The newest first. */
  readonly requests: readonly LiveRequest[];
  /** How many older ones there are that nothing is told of. */
  readonly moreRequests: number;
  /** The newest first. */
  readonly ended: readonly PageEntry[];
  readonly nowMs: number;
  /** Whether somebody is about to use the list: then nothing goes away. */
  readonly isHeld: boolean;
}

export const MAX_ROWS = 6;
/** What has ended stays for so long, since many requests are over before anybody has read their line. */
export const LINGER_MS = 6_000;

/** The lines of the list after news. New ones come at the end, or in a full list in the place of those that ended first. */
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

/** Where more requests run than are told, an old one that is missing may still run. */
function isUntold({ state }: LiveRow, { requests, moreRequests }: News): boolean {
  const oldestToldMs = requests.at(-1)?.startedMs ?? 0;
  return moreRequests > 0 && state.kind === "open" && state.request.startedMs <= oldestToldMs;
}

type Maybe<Told> = Told | undefined;

function renewed(row: LiveRow, request: Maybe<LiveRequest>, entry: Maybe<PageEntry>, nowMs: number): LiveRow {
  // The end is told once, and what is told of open requests may be older.
  const isOver = entry !== undefined || (row.state.kind === "ended" && row.state.outcome !== null);
  if (request !== undefined && !isOver) return rowOf(request, { kind: "open", request });
  const known = row.state.kind === "ended" ? row.state : { seenMs: nowMs, outcome: null, totalMs: null };
  const outcome = entry?.outcome ?? known.outcome;
  const totalMs = entry?.totalMs ?? known.totalMs;
  return { ...row, state: { kind: "ended", seenMs: known.seenMs, outcome, totalMs } };
}

/** In a full list without one that has ended, a new request is only counted. */
function place(rows: LiveRow[], row: LiveRow): void {
  if (rows.length < MAX_ROWS) {
    rows.push(row);
    return;
  }
  const endedMs = rows.map(({ state }) => (state.kind === "ended" ? state.seenMs : Number.POSITIVE_INFINITY));
  const first = Math.min(...endedMs);
  if (first !== Number.POSITIVE_INFINITY) rows[endedMs.indexOf(first)] = row;
}

function rowOf({ id, client, model, round }: Omit<LiveRow, "state">, state: LiveRow["state"]): LiveRow {
  return { id, client, model, round, state };
}
