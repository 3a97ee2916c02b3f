import { type EntryFilter, type EntryPage, type EntrySearch, isFailure, type LedgerEntry } from "./entry.js";
import { readEntry } from "./read-entry.js";
import { sortable } from "./tables.js";
import type { View } from "./view.js";

/** How the text of an entry ends that went well: its outcome, and neither a message nor a run that was given up. */
const WENT_WELL = '"ok",null,null]';

/** The entries that fit, the newest first, from one place of the ledger to the next. */
export function searchEntries(view: View, search: EntrySearch): EntryPage {
  const { fromMs = 0, limit, maxLooked } = search;
  const to = upperBound(search);
  const range = { from: sortable(fromMs), ...(to !== undefined && { to }), isReverse: true };
  const isWorthReading = textTest(search);
  const entries: LedgerEntry[] = [];
  let looked = 0;
  let before: string | null = null;
  for (const { key, value } of view.range("entries", range)) {
    if (entries.length >= limit || looked >= maxLooked) return { entries, before };
    looked++;
    before = key;
    if (!isWorthReading(value)) continue;
    const entry = readEntry(value);
    if (entry !== undefined && fits(entry, search)) entries.push(entry);
  }
  return { entries, before: null };
}

/** Keys below this one are looked at. */
function upperBound({ toMs, before }: EntrySearch): string | undefined {
  const time = toMs === undefined ? undefined : sortable(toMs);
  return before !== undefined && (time === undefined || before < time) ? before : time;
}

/** Whether an entry with this text can fit at all. Reading the text takes much longer than looking for words in it. */
function textTest({ client, model, turnId, thread, isFailed }: EntryFilter): (text: string) => boolean {
  const words = [
    ...(client === undefined ? [] : [JSON.stringify(client).slice(0, -1)]), // a version may follow
    ...[model, turnId, thread].flatMap((name) => (name === undefined ? [] : [JSON.stringify(name)])),
  ];
  return (text) => !(isFailed === true && text.endsWith(WENT_WELL)) && words.every((word) => text.includes(word));
}

function fits(entry: LedgerEntry, { client, model, isFailed, turnId, thread }: EntryFilter): boolean {
  return (
    (client === undefined || entry.client === client || entry.client.startsWith(`${client}/`)) &&
    (model === undefined || entry.model === model) &&
    (isFailed === undefined || isFailed === isFailure(entry.outcome)) &&
    (turnId === undefined || entry.turnId === turnId) &&
    (thread === undefined || entry.thread === thread)
  );
}
