import type {
  EntryFilter,
  EntryPage,
  EntrySearch,
  JournalDetail,
  LedgerEntry,
  LedgerReader,
} from "../../packages/meter/ledger/entry.js";
import { fits } from "../../packages/meter/ledger/search.js";

/** A ledger in memory, which a test can fill while it is read. */
export class MemoryReader implements LedgerReader {
  readonly list: LedgerEntry[];
  readonly details: JournalDetail[];
  /** The ids of entries that searches have found. */
  readonly found: string[] = [];

  constructor(entries: readonly LedgerEntry[] = [], details: readonly JournalDetail[] = []) {
    this.list = [...entries];
    this.details = [...details];
  }

  entries(filter: EntryFilter) {
    const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, limit } = filter;
    return this.list
      .filter((entry) => entry.atMs >= fromMs && entry.atMs < toMs && fits(entry, filter))
      .sort((one, other) => other.atMs - one.atMs)
      .slice(0, limit);
  }

  /** Takes one matching entry in each step. */
  *search({ isLast, limit, ...filter }: EntrySearch): Generator<undefined, EntryPage, undefined> {
    const entries: LedgerEntry[] = [];
    for (const entry of this.entries({ ...filter, limit })) {
      entries.push(entry);
      this.found.push(entry.id);
      if (isLast?.(entry) === true) break;
      yield;
    }
    return { entries, before: null };
  }

  detail({ id }: LedgerEntry) {
    return this.details.find((detail) => detail.id === id);
  }

  rollUps() {
    return [];
  }

  dearest(filter: Omit<EntryFilter, "limit">) {
    return this.entries({ ...filter, limit: Number.POSITIVE_INFINITY }).filter(({ tokens }) => tokens !== null);
  }

  conduct() {
    return [];
  }

  thread() {
    return undefined;
  }

  async ready() {}
}
