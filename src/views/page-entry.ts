import type { LedgerEntry } from "../ledger/index.js";
import type { PageEntry } from "../page/contract.js";

/** A request of the ledger for the page. */
export function pageEntry({ caller: _, ...shown }: LedgerEntry): PageEntry {
  return shown;
}
