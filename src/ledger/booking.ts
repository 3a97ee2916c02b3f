import { addAbandoned, addConduct, type ConductCounts, readConduct } from "./conduct.js";
import type { LedgerEntry } from "./entry.js";
import { addDetails } from "./journal.js";
import type { AbandonedItem, EndedItem, LogItem, Text } from "./log-item.js";
import { INTERRUPTED, readEntry } from "./read-entry.js";
import { NewIds } from "./request-ids.js";
import { ChangedRollUps } from "./roll-ups.js";
import type { Spans } from "./spans.js";
import { addEntry, addTokens } from "./sums.js";
import { sortable } from "./tables.js";
import { ChangedThreads } from "./thread-sums.js";
import type { View } from "./view.js";
import { entryText } from "./write-entry.js";

/**
 * Books requests in a view: the entry, and with it every sum that it belongs to. An entry that is there already is not booked
 * again, whoever brings it. So a log can be read any number of times.
 */
export class Booking {
  readonly #view: View;
  readonly #spans: Spans;
  readonly #rollUps: ChangedRollUps;
  readonly #threads: ChangedThreads;
  readonly #conduct = new Map<number, ConductCounts>();
  readonly #ids = new NewIds();
  readonly #details: Text[] = [];

  constructor(view: View, spans: Spans) {
    this.#view = view;
    this.#spans = spans;
    this.#rollUps = new ChangedRollUps(view, spans);
    this.#threads = new ChangedThreads(view);
  }

  book(item: LogItem): void {
    if (item.type === "ended") this.#end(item);
    else this.#abandon(item);
  }

  /** Takes an entry away, and what it has added to the sums of clients and threads. */
  remove(key: string, entry: LedgerEntry): void {
    this.#view.remove("entries", key);
    this.#addToSums(entry, -1);
  }

  /** The same, where the sums of its hour and its day are dropped as well. */
  drop(key: string, entry: LedgerEntry): void {
    this.#view.remove("entries", key);
    this.#threads.add(entry, -1);
  }

  /** Writes everything that was summed up into the view. */
  finish(): void {
    this.#rollUps.finish();
    this.#threads.finish();
    for (const [startMs, counts] of this.#conduct) {
      this.#view.put("conduct", sortable(startMs), JSON.stringify(counts));
    }
    this.#ids.finish(this.#view);
    addDetails(this.#view, this.#details);
  }

  #end({ key, entry, text, detailLine, openRequests, openRuns }: EndedItem): void {
    const before = this.#entryAt(key);
    if (before === undefined) {
      this.#view.put("entries", key, text);
      this.#ids.add(entry.id, key);
      this.#add(entry, 1);
    } else {
      // The log of a living process was taken for that of a dead one.
      if (before.outcome !== INTERRUPTED || entry.outcome === INTERRUPTED) return;
      const { abandoned } = before;
      const tokens = entry.tokens ?? (abandoned === null ? null : before.tokens);
      const replaced = { ...entry, tokens, abandoned };
      this.#add(before, -1);
      this.#view.put("entries", key, entryText(replaced));
      this.#add(replaced, 1);
    }
    if (detailLine !== undefined) this.#details.push(detailLine);
    const conduct = this.#conductOf(entry.atMs);
    if (openRequests > conduct.peakRequests) conduct.peakRequests = openRequests;
    if (openRuns > conduct.peakRuns) conduct.peakRuns = openRuns;
  }

  /** Books the estimate of a run that was given up on its last request, unless that has its tokens. */
  #abandon({ key, reason, tokens }: AbandonedItem): void {
    const entry = this.#entryAt(key);
    if (entry === undefined || entry.abandoned !== null) return;
    this.#view.put("entries", key, entryText({ ...entry, tokens: entry.tokens ?? tokens, abandoned: reason }));
    addAbandoned(this.#conductOf(entry.atMs), reason, 1);
    if (entry.tokens !== null) return;
    const { hour, day } = this.#rollUps.of(entry);
    addTokens(hour, tokens, 1);
    addTokens(day, tokens, 1);
    this.#threads.addTokens(entry, tokens);
  }

  #add(entry: LedgerEntry, sign: 1 | -1): void {
    this.#addToSums(entry, sign);
    addConduct(this.#conductOf(entry.atMs), entry, sign);
  }

  #addToSums(entry: LedgerEntry, sign: 1 | -1): void {
    const { hour, day } = this.#rollUps.of(entry);
    addEntry(hour, entry, sign);
    addEntry(day, entry, sign);
    this.#threads.add(entry, sign);
  }

  #entryAt(key: string): LedgerEntry | undefined {
    const text = this.#view.get("entries", key);
    return text === undefined ? undefined : readEntry(text);
  }

  #conductOf(atMs: number): ConductCounts {
    const startMs = this.#spans.startOfDay(atMs);
    const known = this.#conduct.get(startMs);
    if (known !== undefined) return known;
    const counts = readConduct(this.#view.get("conduct", sortable(startMs)));
    this.#conduct.set(startMs, counts);
    return counts;
  }
}
