import { yieldToOthers } from "../clock.js";
import { Booking } from "./booking.js";
import type { LedgerEntry } from "./entry.js";
import { addRule, type ForgetRule, matches } from "./forget-rules.js";
import { FORMER_CLIENT, FORMER_DAYS } from "./former-days.js";
import { dropDetails } from "./journal.js";
import { readEntry } from "./read-entry.js";
import { withoutGone } from "./request-ids.js";
import { midnight, Spans } from "./spans.js";
import { clientOfKey, startOfKey } from "./sums.js";
import { type LedgerTables, type Range, type Row, sortable, type TableName } from "./tables.js";
import { update, type View } from "./view.js";

/** The rows of one slice: dropping them takes a few milliseconds. */
const SLICE_ROWS = 100;
/** Rows that are only looked at take less. */
const SLICE_LOOKS = 1_000;
const HOUR_MS = 60 * 60_000;

/**
 * Drops what is older than the days that are kept. A day is dropped as a whole, with its entries. What is left when the signal
 * aborts is dropped another time.
 * @throws Error when the tables could not be written
 */
export async function dropOld(
  tables: LedgerTables,
  nowMs: number,
  keptDays: number,
  signal: AbortSignal,
): Promise<void> {
  const beforeMs = midnight(nowMs, -keptDays);
  const formerBeforeMs = midnight(nowMs, -Math.max(keptDays, FORMER_DAYS));
  const isDropped = (key: string) => clientOfKey(key) !== FORMER_CLIENT || startOfKey(key) < formerBeforeMs;
  // The sums of hours and days go as rows, so they need not be reduced.
  const old = { tables, beforeMs, signal };
  await dropEntries(
    old,
    () => true,
    (booking, key, entry) => booking.drop(key, entry),
  );
  for (const table of spanTables) await dropRows(old, table, isDropped);
  for (const table of ["ids", "conduct"] as const) await dropRows(old, table, () => true);
}

/**
 * Forgets requests, and what was summed up from them. What is counted without clients stays if only one client is forgotten.
 * @returns how many requests were forgotten
 * @throws Error when the tables could not be written
 */
export async function forgetIn(tables: LedgerTables, rule: Omit<ForgetRule, "number">): Promise<number> {
  const { beforeMs, client } = rule;
  // Before anything is removed: from here on no process books what matches.
  await update(tables, (view) => addRule(view, rule));
  const old = { tables, beforeMs, signal: undefined };
  const count = await dropEntries(
    old,
    (entry) => matches(rule, entry),
    (booking, key, entry) => booking.remove(key, entry),
  );
  await dropIds(tables);
  // Sums of requests that are there no more, and of days before the ledger.
  for (const table of spanTables) {
    await dropRows(old, table, (key) => {
      const isOver = endOf(table, startOfKey(key)) <= beforeMs || clientOfKey(key) === FORMER_CLIENT;
      return isOver && (client === undefined || client === clientOfKey(key));
    });
  }
  if (client === undefined) {
    await dropRows(old, "conduct", (key) => endOf("days", startOfKey(key)) <= beforeMs);
  }
  return count;
}

const spanTables = ["hours", "days"] as const;

function endOf(table: (typeof spanTables)[number], startMs: number): number {
  return table === "hours" ? startMs + HOUR_MS : midnight(startMs, 1);
}

/** What is looked through. */
interface Old {
  readonly tables: LedgerTables;
  readonly beforeMs: number;
  readonly signal: AbortSignal | undefined;
}

function dropEntries(
  old: Old,
  isDropped: (entry: LedgerEntry) => boolean,
  drop: (booking: Booking, key: string, entry: LedgerEntry) => void,
): Promise<number> {
  const spans = new Spans();
  return eachSlice(old, "entries", (view) => {
    const booking = new Booking(view, spans);
    const gone = new Set<string>();
    return {
      look(key, value) {
        const entry = readEntry(value);
        if (entry !== undefined && !isDropped(entry)) return false;
        if (entry === undefined) view.remove("entries", key);
        else drop(booking, key, entry);
        gone.add(key);
        return true;
      },
      finish() {
        booking.finish();
        if (gone.size > 0) dropDetails(view, (key) => gone.has(key));
      },
    };
  });
}

async function dropRows(old: Old, table: TableName, isDropped: (key: string) => boolean): Promise<void> {
  await eachSlice(old, table, (view) => ({
    look(key) {
      if (!isDropped(key)) return false;
      view.remove(table, key);
      return true;
    },
    finish() {},
  }));
}

/** Drops the ids of requests that are gone. */
async function dropIds(tables: LedgerTables): Promise<void> {
  const all = { tables, beforeMs: 10 ** 13 - 1, signal: undefined };
  await eachSlice(all, "ids", (view) => ({
    look(key, value) {
      const kept = withoutGone(view, value);
      if (kept === value) return false;
      if (kept === null) view.remove("ids", key);
      else view.put("ids", key, kept);
      return true;
    },
    finish() {},
  }));
}

interface Slice {
  /** Whether the row is dropped. */
  look(key: string, value: string): boolean;
  finish(): void;
}

/** Goes through the rows of a table in slices, one transaction each. Resolves to the number of rows that were dropped. */
async function eachSlice(
  { tables, beforeMs, signal }: Old,
  table: TableName,
  begin: (view: View) => Slice,
): Promise<number> {
  let count = 0;
  let from: string | undefined = sortable(0);
  while (from !== undefined && signal?.aborted !== true) {
    const range: Range = { from, to: sortable(beforeMs) };
    const slice: Looked = await update(tables, (view) => lookAt(view.range(table, range), begin(view)));
    count += slice.dropped;
    from = slice.next;
    await yieldToOthers();
  }
  return count;
}

interface Looked {
  /** The row with which the next slice begins. */
  readonly next: string | undefined;
  readonly dropped: number;
}

function lookAt(rows: Iterable<Row>, slice: Slice): Looked {
  let looked = 0;
  let dropped = 0;
  let next: string | undefined;
  for (const { key, value } of rows) {
    if (dropped === SLICE_ROWS || looked === SLICE_LOOKS) {
      next = key;
      break;
    }
    looked++;
    if (slice.look(key, value)) dropped++;
  }
  slice.finish();
  return { next, dropped };
}
