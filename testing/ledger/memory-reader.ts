import {
  type EntryFilter,
  type EntryPage,
  type EntrySearch,
  isFailure,
  type JournalDetail,
  type LedgerEntry,
  type LedgerReader,
} from "../../src/ledger/entry.js";

/** A ledger in memory, which a test can fill while it is read. */
export class MemoryReader implements LedgerReader {
  readonly list: LedgerEntry[];
  readonly details: JournalDetail[];

  constructor(entries: readonly LedgerEntry[] = [], details: readonly JournalDetail[] = []) {
    this.list = [...entries];
    this.details = [...details];
  }

  entries({
    fromMs = 0,
    toMs = Number.POSITIVE_INFINITY,
    client,
    model,
    isFailed,
    turnId,
    thread,
    limit,
  }: EntryFilter) {
    return this.list
      .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
      .filter((entry) => client === undefined || entry.client === client || entry.client.startsWith(`${client}/`))
      .filter((entry) => model === undefined || entry.model === model)
      .filter((entry) => turnId === undefined || entry.turnId === turnId)
      .filter((entry) => thread === undefined || entry.thread === thread)
      .filter(({ outcome }) => isFailed === undefined || isFailed === isFailure(outcome))
      .sort((one, other) => other.atMs - one.atMs)
      .slice(0, limit);
  }

  /** All at one step. */
  search(search: EntrySearch): EntryPage {
    return { entries: this.entries(search), before: null };
  }

  entry(id: string) {
    return this.list.find((entry) => entry.id === id);
  }

  detail(id: string) {
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
