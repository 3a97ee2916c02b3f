import type { PageEntry, RequestsAnswer } from "../../src/page/contract.js";

/** More rows than this are not kept: a list of everything would make the browser slow. */
export const MAX_ROWS = 300;
/** Nobody can follow more new rows at once than this. */
const MAX_SLIDING = 20;

export interface RequestList {
  /** The newest first. */
  readonly entries: readonly PageEntry[];
  /** Where older ones begin; null if there are none. */
  readonly before: string | null;
  /** Whether newer ones are missing: they have made room for older ones, or came while the gateway was not heard. */
  readonly isCut: boolean;
  /** Have come since, and wait until somebody wants to see them. */
  readonly held: readonly PageEntry[];
  /** How many more have come since that are not here, because they came too fast. */
  readonly missed: number;
  /** Those that have just come into the list. */
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

/** With ended requests: in the list by when they began, if it may move and they are few enough to follow; else held. */
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

/** With those that were held, unless some are missing: then the list must be asked for again, which undefined says. */
export function withHeld(list: RequestList): RequestList | undefined {
  return list.missed > 0 || list.isCut || isFull(list) ? undefined : slidIn(list, list.held);
}

/** Whether it has grown so long that it is better asked for again. */
export function isFull({ entries, held }: RequestList): boolean {
  return entries.length + held.length > MAX_ROWS;
}

function slidIn(list: RequestList, arrived: readonly PageEntry[]): RequestList {
  const oldestMs = list.before === null ? 0 : (list.entries.at(-1)?.atMs ?? 0);
  const known = new Set(list.entries.map(keyOf));
  // Older ones than the list has yet come with their neighbours when somebody asks for them.
  const fresh = new Set(arrived.filter((entry) => entry.atMs >= oldestMs && !known.has(keyOf(entry))));
  return { ...list, entries: merged(list.entries, [...fresh]), held: [], fresh };
}

/** All of both, each once, the newest first. */
function merged(some: readonly PageEntry[], others: readonly PageEntry[]): PageEntry[] {
  const byKey = new Map([...some, ...others].map((entry) => [keyOf(entry), entry]));
  return [...byKey.values()].sort((one, other) => other.atMs - one.atMs);
}

/** A client may choose the same id for many requests. */
export function keyOf({ id, atMs }: PageEntry): string {
  return `${atMs} ${id}`;
}
