import { Booking } from "./booking.js";
import { conductDay, readConduct } from "./conduct.js";
import type { LedgerEntry, LedgerReader } from "./entry.js";
import { searchEntries } from "./find-entries.js";
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
    entries: (filter) => searchEntries(open(), { ...filter, maxLooked: Number.POSITIVE_INFINITY }).entries,
    search: (search) => searchEntries(open(), search),
    entry(id) {
      const view = open();
      const key = findKey(view, id);
      return key === undefined ? undefined : entryAt(view, key);
    },
    detail(id, atMs) {
      const view = open();
      const key = atMs === undefined ? findKey(view, id) : keyAt(view, id, atMs);
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

/** The key of the newest entry with this id that began at this moment. */
function keyAt(view: View, id: string, atMs: number): string | undefined {
  const range = { from: sortable(atMs), to: sortable(atMs + 1), isReverse: true };
  for (const { key, value } of view.range("entries", range)) if (readEntry(value)?.id === id) return key;
  return undefined;
}

function entryAt(view: View, key: string): LedgerEntry | undefined {
  const text = view.get("entries", key);
  return text === undefined ? undefined : readEntry(text);
}
