export {
  addTokens,
  type ConductDay,
  type CountedTokens,
  type Counters,
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
export { createMemoryLedger, type OpenLedger, openLedger } from "./ledger.js";
export { entryOf, nameOf, tokensOf } from "./line.js";
export { openLedgerReader } from "./reader.js";
export { findEntry, searchInSlices } from "./search.js";
export { dayStart, dayText, midnight, Spans } from "./spans.js";
export { forgetRequests } from "./upkeep.js";
