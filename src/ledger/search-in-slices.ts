import { yieldToOthers } from "../clock.js";
import type { EntryPage, EntrySearch, LedgerEntry, LedgerReader } from "./entry.js";

/** Looking at so many entries takes a few milliseconds. */
const SLICE = 2_000;

/** Searches in steps, and lets others work between them. The newest come first, so the search can end with the last that is wanted. */
export async function searchInSlices(
  reader: Pick<LedgerReader, "search">,
  search: EntrySearch,
  isLast: (entry: LedgerEntry) => boolean = () => false,
): Promise<EntryPage> {
  const { limit, maxLooked } = search;
  const entries: LedgerEntry[] = [];
  let { before } = search;
  for (let looked = 0; looked < maxLooked; looked += SLICE) {
    if (looked > 0) await yieldToOthers();
    const step = { ...search, limit: limit - entries.length, maxLooked: Math.min(SLICE, maxLooked - looked) };
    const page = reader.search({ ...step, ...(before !== undefined && { before }) });
    entries.push(...page.entries);
    if (page.before === null) return { entries, before: null };
    before = page.before;
    if (entries.length >= limit || page.entries.some(isLast)) break;
  }
  return { entries, before: before ?? null };
}
