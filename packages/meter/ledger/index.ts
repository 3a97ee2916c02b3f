export { noConduct } from "./book.js";
export {
  type ConductDay,
  type CountedTokens,
  type Counters,
  continuityText,
  dayStart,
  dayText,
  type EntryFilter,
  isFailure,
  type JournalDetail,
  type LedgerEntry,
  type LedgerReader,
  midnight,
  type RollUp,
  runsText,
  Spans,
  type Tokens,
  turnTokens,
  uncachedTokens,
} from "./entry.js";
export { type OpenLedger, openLedger } from "./ledger.js";
export { entryOf, nameOf } from "./line.js";
export { openLedgerReader } from "./reader.js";
export { findEntry, searchInSlices } from "./search.js";
export { forgetRequests } from "./upkeep.js";
