export {
  type ConductDay,
  type CountedTokens,
  continuityText,
  type EntryFilter,
  isFailure,
  type JournalDetail,
  type LedgerEntry,
  type LedgerReader,
  type RollUp,
  type Tokens,
  turnTokens,
} from "./entry.js";
export { forgetRequests } from "./forget.js";
export { createMemoryLedger, type OpenLedger, openLedger } from "./open-ledger.js";
export { openLedgerReader } from "./open-reader.js";
export { searchInSlices } from "./search-in-slices.js";
export { dayStart, midnight, Spans } from "./spans.js";
export { entryOf, nameOf } from "./write-entry.js";
