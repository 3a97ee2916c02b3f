import type { RequestRecord } from "../events/index.js";
import { entryOf, type LedgerEntry } from "../ledger/index.js";
import type { PageEntry } from "../page/contract.js";

/** More than anybody can follow at a time. */
const MAX_TOLD = 40;

/** The requests that have ended since they were last told. */
export class EndedRequests {
  /** The newest of them, in the order in which they ended. */
  #newest: RequestRecord[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(record: RequestRecord): void {
    this.#count++;
    this.#newest.push(record);
    if (this.#newest.length > MAX_TOLD) this.#newest.shift();
  }

  /** The newest of them as JSON, the last one first, and how many that leaves out. */
  take(nowMs: number): { readonly json: string; readonly leftOut: number } {
    const entries = this.#newest.map((record) => pageEntry(entryOf(record, record.endedMs ?? nowMs))).reverse();
    const leftOut = this.#count - entries.length;
    this.#newest = [];
    this.#count = 0;
    return { json: JSON.stringify(entries), leftOut };
  }
}

export function pageEntry({ caller: _, account: __, ...shown }: LedgerEntry): PageEntry {
  return shown;
}
