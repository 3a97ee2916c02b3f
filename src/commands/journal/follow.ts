import type { EntryFilter, LedgerEntry, LedgerReader } from "../../ledger/entry.js";

/** Soon enough for somebody who watches, and seldom enough to cost nothing. */
const POLL_MS = 500;
/** More requests than can end between two looks. */
const MAX_NEWEST = 1_000;

interface FollowOptions {
  readonly reader: Pick<LedgerReader, "entries" | "entry">;
  readonly filter: Omit<EntryFilter, "limit">;
  /** Requests that need not be told. */
  readonly told: Iterable<LedgerEntry>;
  readonly onEnded: (entry: LedgerEntry) => void;
  /** Resolves after so many milliseconds, or when there is no need to go on. */
  readonly wait: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Tells of each request once, when it has ended, until the signal says that it is enough. */
export async function follow({ reader, filter, told, onEnded, wait, signal }: FollowOptions): Promise<void> {
  const known = new Set(Array.from(told, ({ id }) => id));
  // A request that began long ago is no longer among the newest when it ends.
  let open = new Set<string>();
  while (!signal.aborted) {
    await wait(POLL_MS);
    const newest = reader.entries({ ...filter, limit: MAX_NEWEST });
    const ids = new Set(newest.map(({ id }) => id));
    const older = [...open].filter((id) => !ids.has(id)).flatMap((id) => reader.entry(id) ?? []);
    const fresh = [...newest, ...older].filter(({ id }) => !known.has(id));
    open = new Set(fresh.filter((entry) => !hasEnded(entry)).map(({ id }) => id));
    for (const entry of fresh.filter(hasEnded).sort((one, other) => endOf(one) - endOf(other))) {
      if (signal.aborted) return;
      known.add(entry.id);
      onEnded(entry);
    }
  }
}

function hasEnded({ totalMs, outcome }: LedgerEntry): boolean {
  return totalMs !== null || outcome === "interrupted";
}

function endOf({ atMs, totalMs }: LedgerEntry): number {
  return atMs + (totalMs ?? 0);
}
