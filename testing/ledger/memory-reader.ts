import type {
  EntryFilter,
  EntryPage,
  EntrySearch,
  JournalDetail,
  LedgerEntry,
  LedgerReader,
} from "../../src/ledger/entry.js";
import { fits } from "../../src/ledger/search.js";

/** A ledger in memory, which a test can fill while it is read. */
export class MemoryReader implements LedgerReader {
  readonly list: LedgerEntry[];
  readonly details: JournalDetail[];

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

  /** All at one step. */
  search(search: EntrySearch): EntryPage {
    return { entries: this.entries(search), before: null };
  }

  detail({ id }: LedgerEntry) {
    return this.details.find((detail) => detail.id === id);
  }

  rollUps() {
    return [];
  }

  conduct() {
    return [];
  }

  thread() {
    return undefined;
  }

  async ready() {}

  async close() {}
}
