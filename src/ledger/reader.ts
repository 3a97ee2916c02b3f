import { Booking } from "./booking.js";
import { conductDay, readConduct } from "./conduct.js";
import { type EntryFilter, isFailure, type LedgerEntry, type LedgerReader } from "./entry.js";
import { rulesAfter, unforgotten } from "./forget-rules.js";
import { findDetail } from "./journal.js";
import type { LogItem } from "./log-item.js";
import { readDetail, readEntry } from "./read-entry.js";
import { findKey } from "./request-ids.js";
import { Spans } from "./spans.js";
import { readRollUp, startOfKey } from "./sums.js";
import { type LedgerTables, sortable } from "./tables.js";
import { readThread } from "./thread-sums.js";
import { View } from "./view.js";

/** What is not in the tables yet. */
export interface Unbooked {
  /** The last rule about what is forgotten that these items have followed. */
  readonly rule: number;
  readonly items: readonly LogItem[];
}

/** Sums of days that are nowhere else. */
export interface FormerSource {
  has(): boolean;
  addTo(view: View): void;
}

interface ReaderSource {
  /** The tables as far as they are open. */
  tables(): LedgerTables;
  /**
   * Everything that is not in the tables yet. It is read before the tables: what is moved meanwhile is seen twice, never not at all.
   * The same list, as an object, has the same content.
   */
  unbooked(): readonly Unbooked[];
  /** Days that are neither in the tables nor in a log. */
  readonly former?: FormerSource;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Reads a ledger as if everything that is known were in its tables already: it books the rest in a view. */
export function readerOf(source: ReaderSource): LedgerReader {
  const spans = new Spans();
  const book = (tables: LedgerTables, unbooked: readonly Unbooked[]): View => {
    const view = new View(tables);
    const booking = new Booking(view, spans);
    for (const { rule, items } of unbooked) {
      for (const item of unforgotten(rulesAfter(view, rule), items)) booking.book(item);
    }
    booking.finish();
    return view;
  };
  let booked: { tables: LedgerTables; unbooked: readonly Unbooked[]; view: View } | undefined;
  /** A request may wait for what is read, so nothing is booked again that has not changed. */
  const open = (): View => {
    const unbooked = source.unbooked();
    const tables = source.tables();
    if (booked?.tables === tables && booked.unbooked === unbooked && booked.view.isCurrent) return booked.view;
    const view = book(tables, unbooked);
    booked = { tables, unbooked, view };
    return view;
  };
  const openDays = (): View => {
    const { former } = source;
    if (former?.has() !== true) return open();
    const unbooked = source.unbooked();
    const view = book(source.tables(), unbooked);
    former.addTo(view);
    return view;
  };
  return {
    ready: source.ready,
    close: source.close,
    entries: (filter) => findEntries(open(), filter),
    entry(id) {
      const view = open();
      const key = findKey(view, id);
      return key === undefined ? undefined : entryAt(view, key);
    },
    detail(id) {
      const view = open();
      const key = findKey(view, id);
      const text = key === undefined ? undefined : findDetail(view, key);
      return text === undefined ? undefined : readDetail(id, text);
    },
    rollUps(span, fromMs, toMs) {
      const range = { from: sortable(fromMs), to: sortable(toMs) };
      const rows = span === "hour" ? open().range("hours", range) : openDays().range("days", range);
      return Array.from(rows, ({ key, value }) => readRollUp(key, value));
    },
    thread(thread) {
      const sums = readThread(open(), thread);
      if (sums === undefined) return undefined;
      const { requests, unadmitted, ...tokens } = sums;
      return { requests, unadmitted, tokens };
    },
    conduct(fromMs, toMs) {
      const rows = open().range("conduct", { from: sortable(fromMs), to: sortable(toMs) });
      return Array.from(rows, ({ key, value }) => conductDay(startOfKey(key), readConduct(value)));
    },
  };
}

function findEntries(view: View, filter: EntryFilter): LedgerEntry[] {
  const { fromMs = 0, toMs, turnId, limit } = filter;
  const found: LedgerEntry[] = [];
  if (limit <= 0) return found;
  const range = { from: sortable(fromMs), ...(toMs !== undefined && { to: sortable(toMs) }), isReverse: true };
  for (const { value } of view.range("entries", range)) {
    // Reading the text takes much longer than looking for a word in it.
    if (turnId !== undefined && !value.includes(turnId)) continue;
    const entry = readEntry(value);
    if (entry === undefined || !fits(entry, filter)) continue;
    if (found.push(entry) === limit) break;
  }
  return found;
}

function fits(entry: LedgerEntry, { client, model, isFailed, turnId }: EntryFilter): boolean {
  return (
    (client === undefined || entry.client === client || entry.client.startsWith(`${client}/`)) &&
    (model === undefined || entry.model === model) &&
    (isFailed === undefined || isFailed === isFailure(entry.outcome)) &&
    (turnId === undefined || entry.turnId === turnId)
  );
}

function entryAt(view: View, key: string): LedgerEntry | undefined {
  const text = view.get("entries", key);
  return text === undefined ? undefined : readEntry(text);
}
