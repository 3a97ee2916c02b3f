import { addAbandoned, addConduct, type ConductCounts, readConduct } from "./conduct.js";
import type { LedgerEntry } from "./entry.js";
import { addDetails, type KeptDetail } from "./journal.js";
import type { AbandonedItem, EndedItem, LogItem } from "./log-item.js";
import { INTERRUPTED, readEntry } from "./read-entry.js";
import type { Spans } from "./spans.js";
import { addEntry, addTokens, readSums, rollUpKey, type Sums, sumsText } from "./sums.js";
import { sortable } from "./tables.js";
import type { View } from "./view.js";
import type { EntryWriter } from "./write-entry.js";

type SumTable = "hours" | "days" | "threads";

interface BookingDeps {
  readonly spans: Spans;
  readonly writer: EntryWriter;
}

/**
 * Books requests in a view: the entry, and with it every sum that it belongs to. An entry that is there already is not booked
 * again, whoever brings it. So a log can be read any number of times.
 */
export class Booking {
  readonly #view: View;
  readonly #deps: BookingDeps;
  /** Rows that are being summed up. They are written at the end, once each. */
  readonly #sums: Record<SumTable, Map<string, Sums>> = { hours: new Map(), days: new Map(), threads: new Map() };
  readonly #conduct = new Map<string, ConductCounts>();
  readonly #details: KeptDetail[] = [];

  constructor(view: View, deps: BookingDeps) {
    this.#view = view;
    this.#deps = deps;
  }

  book(item: LogItem): void {
    if (item.type === "ended") this.#end(item);
    else this.#abandon(item);
  }

  /** Takes an entry away, and what it has added to the sums of clients and threads. */
  remove(key: string, entry: LedgerEntry): void {
    this.#removeRow(key, entry);
    this.#eachSums(entry, (sums) => addEntry(sums, entry, -1));
  }

  /** The same, where the sums of its hour and its day are dropped as well. */
  drop(key: string, entry: LedgerEntry): void {
    this.#removeRow(key, entry);
    if (entry.thread !== null) addEntry(this.#sumsOf("threads", entry.thread), entry, -1);
  }

  /** Writes the sums into the view. */
  finish(): void {
    for (const [table, rows] of Object.entries(this.#sums) as [SumTable, Map<string, Sums>][]) {
      for (const [key, sums] of rows) {
        if (sums.requests > 0) this.#view.put(table, key, sumsText(sums));
        else this.#view.remove(table, key);
      }
    }
    for (const [key, counts] of this.#conduct) this.#view.put("conduct", key, JSON.stringify(counts));
    addDetails(this.#view, this.#details);
  }

  #end({ key, entry, text, detail, openRequests, openRuns }: EndedItem): void {
    const before = this.#entryAt(key);
    // The log of a living process may have been taken for that of a dead one.
    if (before !== undefined && (before.outcome !== INTERRUPTED || entry.outcome === INTERRUPTED)) return;
    if (before !== undefined) this.#add(before, -1);
    const abandoned = before?.abandoned ?? null;
    const kept = abandoned === null ? entry : { ...entry, tokens: entry.tokens ?? before?.tokens ?? null, abandoned };
    this.#view.put("entries", key, kept === entry ? text : this.#deps.writer.entry(kept));
    this.#view.put("ids", entry.id, key);
    this.#add(kept, 1);
    if (detail !== undefined) this.#details.push({ key, text: detail });
    const conduct = this.#conductOf(entry.atMs);
    if (openRequests > conduct.peakRequests) conduct.peakRequests = openRequests;
    if (openRuns > conduct.peakRuns) conduct.peakRuns = openRuns;
  }

  /** Books the estimate of a run that was given up on its last request, unless that has its tokens. */
  #abandon({ key: known, requestId, reason, tokens }: AbandonedItem): void {
    const key = known ?? this.#view.get("ids", requestId);
    const entry = key === undefined ? undefined : this.#entryAt(key);
    if (key === undefined || entry === undefined || entry.abandoned !== null) return;
    addAbandoned(this.#conductOf(entry.atMs), reason, 1);
    const isBooked = entry.tokens !== null;
    this.#view.put(
      "entries",
      key,
      this.#deps.writer.entry({ ...entry, tokens: entry.tokens ?? tokens, abandoned: reason }),
    );
    if (!isBooked) this.#eachSums(entry, (sums) => addTokens(sums, tokens, 1));
  }

  #removeRow(key: string, entry: LedgerEntry): void {
    this.#view.remove("entries", key);
    if (this.#view.get("ids", entry.id) === key) this.#view.remove("ids", entry.id);
  }

  #add(entry: LedgerEntry, sign: 1 | -1): void {
    this.#eachSums(entry, (sums) => addEntry(sums, entry, sign));
    addConduct(this.#conductOf(entry.atMs), entry, sign);
  }

  #eachSums({ atMs, client, model, thread }: LedgerEntry, change: (sums: Sums) => void): void {
    const { spans } = this.#deps;
    change(this.#sumsOf("hours", rollUpKey(spans.startOfHour(atMs), client, model)));
    change(this.#sumsOf("days", rollUpKey(spans.startOfDay(atMs), client, model)));
    if (thread !== null) change(this.#sumsOf("threads", thread));
  }

  #entryAt(key: string): LedgerEntry | undefined {
    const text = this.#view.get("entries", key);
    return text === undefined ? undefined : readEntry(text);
  }

  #sumsOf(table: SumTable, key: string): Sums {
    const rows = this.#sums[table];
    const known = rows.get(key);
    if (known !== undefined) return known;
    const sums = readSums(this.#view.get(table, key));
    rows.set(key, sums);
    return sums;
  }

  #conductOf(atMs: number): ConductCounts {
    const key = sortable(this.#deps.spans.startOfDay(atMs));
    const known = this.#conduct.get(key);
    if (known !== undefined) return known;
    const counts = readConduct(this.#view.get("conduct", key));
    this.#conduct.set(key, counts);
    return counts;
  }
}
