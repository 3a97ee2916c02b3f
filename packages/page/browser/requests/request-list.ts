import type { PageEntry, RequestsAnswer } from "../../access/contract.js";

/** Limit on rows, to keep the browser fast. */
export const MAX_ROWS = 300;
/** More new rows at once are held back instead of inserted. */
const MAX_SLIDING = 20;

export interface RequestList {
  /** Newest first. */
  readonly entries: readonly PageEntry[];
  /** Cursor for older ones; null if there are none. */
  readonly before: string | null;
  /** True if newer ones are missing: dropped to make room for older ones, or missed while offline. */
  readonly isCut: boolean;
  /** New ones, held back until the user asks for them. */
  readonly held: readonly PageEntry[];
  /** Number of further new ones that are not kept, because they came too fast. */
  readonly missed: number;
  /** Just inserted. */
  readonly fresh: ReadonlySet<PageEntry>;
}

const none: ReadonlySet<PageEntry> = new Set();

export function listOf({ entries, before }: RequestsAnswer): RequestList {
  return { entries: merged([], entries), before, isCut: false, held: [], missed: 0, fresh: none };
}

export function withOlder(list: RequestList, { entries, before }: RequestsAnswer): RequestList {
  const all = merged(list.entries, entries);
  const isCut = list.isCut || all.length > MAX_ROWS;
  return { ...list, entries: all.slice(-MAX_ROWS), before, isCut, fresh: none };
}

/** Adds ended requests: inserts them if the list may move and they are few, else holds them back. */
export function withEnded(
  list: RequestList,
  entries: readonly PageEntry[],
  skipped: number,
  mayMove: boolean,
): RequestList {
  const all = merged(list.held, entries);
  const missed = list.missed + skipped;
  if (mayMove && !list.isCut && missed === 0 && all.length <= MAX_SLIDING) return slidIn(list, all);
  const held = all.slice(0, MAX_ROWS);
  return { ...list, held, missed: missed + all.length - held.length };
}

/** Inserts the held requests. Undefined if some are missing, so that the list must be reloaded. */
export function withHeld(list: RequestList): RequestList | undefined {
  return list.missed > 0 || list.isCut || isFull(list) ? undefined : slidIn(list, list.held);
}

/** Whether it has grown so long that it should be reloaded. */
export function isFull({ entries, held }: RequestList): boolean {
  return entries.length + held.length > MAX_ROWS;
}

function slidIn(list: RequestList, arrived: readonly PageEntry[]): RequestList {
  const oldestMs = list.before === null ? 0 : (list.entries.at(-1)?.atMs ?? 0);
  const known = new Set(list.entries.map(keyOf));
  // Requests older than the loaded part come with a later page.
  const fresh = new Set(arrived.filter((entry) => entry.atMs >= oldestMs && !known.has(keyOf(entry))));
  return { ...list, entries: merged(list.entries, [...fresh]), held: [], fresh };
}

/** The union of both, newest first. */
function merged(some: readonly PageEntry[], others: readonly PageEntry[]): PageEntry[] {
  const byKey = new Map([...some, ...others].map((entry) => [keyOf(entry), entry]));
  return [...byKey.values()].sort((one, other) => other.atMs - one.atMs);
}

/** Includes the time, because clients may reuse ids. */
export function keyOf({ id, atMs }: PageEntry): string {
  return `${atMs} ${id}`;
}
