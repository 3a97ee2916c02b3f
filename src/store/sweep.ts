import { everything, ownerOf } from "./key.js";
import { type Followed, Reach, type UnheldBlob } from "./reach.js";
import { decodeFreshness, decodeMark, decodeNote, encodeMark, type Mark, stateOf } from "./record.js";
import type { Dropped } from "./store.js";
import type { Tables } from "./tables.js";
import { blobCost, checkpointCost, noteCost, type Totals } from "./totals.js";

/** A run may be under way whose checkpoint is still to come: an hour, and the minute within which a blob put again is not noted. */
const freshMs = 61 * 60 * 1000;
const maxNotes = 10_000;
/** In one sweep, in microseconds as measured on a slow machine. Counted, not timed, so that a sweep does the same anywhere. */
const workOfOneSweep = 60_000;
const work = { checkpoint: 10, blob: 20, kilobyte: 8 };

interface SweepOptions {
  readonly nowMs: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Drops what is too old or too much, oldest first, and every blob that no checkpoint reaches. Keeps the totals right. */
export function sweepTables(tables: Tables, totals: Totals, options: SweepOptions): Dropped {
  return new Sweep(tables, totals, options).run();
}

interface Entry {
  readonly key: Buffer;
  readonly thread: Thread;
  mark: Mark;
}

interface Thread {
  readonly key: Buffer;
  readonly entries: Set<Entry>;
  /** It lost a checkpoint, and perhaps with it some blobs. */
  isLoose: boolean;
}

class Sweep {
  readonly #tables: Tables;
  readonly #totals: Totals;
  readonly #options: SweepOptions;
  readonly #reach: Reach;
  readonly #threads = new Map<string, Thread>();
  readonly #oldestFirst: Entry[] = [];
  readonly #dropped = { checkpoints: 0, blobs: 0 };
  #workLeft: number;

  constructor(tables: Tables, totals: Totals, options: SweepOptions) {
    this.#tables = tables;
    this.#totals = totals;
    this.#options = options;
    this.#reach = new Reach(tables);
    this.#workLeft = workOfOneSweep;
  }

  run(): Dropped {
    this.#readMarks();
    this.#dropOld();
    // A blob may be let go only when all who reach it are known.
    if (this.#linkAll()) {
      this.#settleLoose();
      this.#dropSurplus();
      this.#settleLoose();
      this.#dropUnreached();
    }
    this.#dropNotes();
    return this.#dropped;
  }

  #readMarks(): void {
    for (const { key, value } of this.#tables.marks.rows(everything)) {
      const mark = decodeMark(value);
      if (mark === undefined) {
        this.#tables.marks.remove(key);
        this.#tables.checkpoints.remove(key);
        continue;
      }
      const thread = this.#threadOf(Buffer.concat([ownerOf(key), mark.conversation]));
      const entry = { key, thread, mark };
      thread.entries.add(entry);
      this.#oldestFirst.push(entry);
    }
    this.#oldestFirst.sort((a, b) => a.mark.usedMs - b.mark.usedMs);
    for (const { key } of this.#tables.loose.rows(everything)) this.#threadOf(key).isLoose = true;
  }

  #threadOf(key: Buffer): Thread {
    const name = key.toString("latin1");
    const thread = this.#threads.get(name) ?? { key, entries: new Set(), isLoose: false };
    this.#threads.set(name, thread);
    return thread;
  }

  #dropOld(): void {
    const { nowMs, maxAgeMs } = this.#options;
    for (const entry of this.#oldestFirst) {
      if (this.#workLeft <= 0 || entry.mark.usedMs >= nowMs - maxAgeMs) return;
      this.#dropCheckpoint(entry);
    }
  }

  #dropSurplus(): void {
    const { maxBytes } = this.#options;
    if (this.#totals.bytes <= maxBytes) return;
    for (const entry of this.#oldestFirst) {
      if (this.#workLeft <= 0 || this.#totals.bytes <= maxBytes - maxBytes / 16) return;
      if (!entry.thread.entries.has(entry)) continue;
      this.#dropCheckpoint(entry);
      // Blobs are most of the bytes: they must be gone before the next checkpoint is judged.
      if (entry.thread.entries.size === 0) this.#settle(entry.thread);
    }
  }

  #dropCheckpoint(entry: Entry): void {
    this.#tables.checkpoints.remove(entry.key);
    this.#tables.marks.remove(entry.key);
    entry.thread.entries.delete(entry);
    if (!entry.thread.isLoose) this.#tables.loose.put(entry.thread.key, Buffer.from([1]));
    entry.thread.isLoose = true;
    this.#totals.checkpoints--;
    this.#totals.bytes -= checkpointCost(entry.mark.bytes);
    this.#dropped.checkpoints++;
    this.#workLeft -= work.checkpoint;
  }

  /** Returns whether the blobs of every checkpoint are in the books now. */
  #linkAll(): boolean {
    for (const thread of this.#threads.values()) {
      if (isLinked(thread)) continue;
      this.#spendOn(this.#reach.link(thread.key, this.#takeUnlinked(thread)));
      if (!isLinked(thread)) return false;
    }
    return true;
  }

  #settleLoose(): void {
    for (const thread of this.#threads.values()) {
      if (this.#workLeft <= 0) return;
      if (thread.isLoose) this.#settle(thread);
    }
  }

  #spendOn({ blobs, bytes }: Followed): void {
    this.#workLeft -= blobs * work.blob + (bytes / 1024) * work.kilobyte;
  }

  *#takeUnlinked(thread: Thread): IterableIterator<Uint8Array> {
    for (const entry of thread.entries) {
      if (entry.mark.isLinked) continue;
      if (this.#workLeft <= 0) return;
      const state = this.#stateOf(entry);
      if (state === undefined) {
        this.#dropCheckpoint(entry);
        continue;
      }
      entry.mark = { ...entry.mark, isLinked: true };
      this.#tables.marks.put(entry.key, encodeMark(entry.mark));
      this.#workLeft -= work.checkpoint;
      yield state;
    }
  }

  /** Lets go of the blobs that only dropped checkpoints reached. The newest checkpoint nearly always reaches all the rest. */
  #settle(thread: Thread): void {
    const newestFirst = [...thread.entries].sort(
      (a, b) => b.mark.usedMs - a.mark.usedMs || b.mark.bytes - a.mark.bytes,
    );
    const { unheld, followed } = this.#reach.prune(thread.key, this.#statesOf(newestFirst));
    this.#spendOn(followed);
    for (const blob of unheld) this.#dropBlob(blob);
    this.#tables.loose.remove(thread.key);
    thread.isLoose = false;
  }

  *#statesOf(entries: readonly Entry[]): IterableIterator<Uint8Array> {
    for (const entry of entries) {
      const state = this.#stateOf(entry);
      if (state !== undefined) yield state;
    }
  }

  #stateOf(entry: Entry): Uint8Array | undefined {
    const record = this.#tables.checkpoints.get(entry.key);
    this.#spendOn({ blobs: 0, bytes: record?.length ?? 0 });
    return record === undefined ? undefined : stateOf(record);
  }

  #dropUnreached(): void {
    for (const { key, value } of this.#tables.fresh.rows(everything)) {
      const freshness = decodeFreshness(value);
      if (freshness !== undefined && this.#isFresh(freshness.putMs)) continue;
      if (this.#workLeft <= 0) return;
      if (this.#reach.isHeld(key)) this.#tables.fresh.remove(key);
      else this.#dropBlob({ blob: key, bytes: freshness?.bytes ?? 0 });
      this.#workLeft -= work.blob;
    }
  }

  #dropBlob({ blob, bytes }: UnheldBlob): void {
    const row = this.#tables.fresh.get(blob);
    const freshness = row === undefined ? undefined : decodeFreshness(row);
    if (freshness !== undefined && this.#isFresh(freshness.putMs)) return;
    this.#tables.blobs.remove(blob);
    if (row !== undefined) this.#tables.fresh.remove(blob);
    this.#totals.blobs--;
    this.#totals.bytes -= blobCost(bytes);
    this.#dropped.blobs++;
    this.#workLeft -= work.blob;
  }

  #isFresh(putMs: number): boolean {
    return putMs > this.#options.nowMs - freshMs;
  }

  #dropNotes(): void {
    const { nowMs, maxAgeMs } = this.#options;
    const notes = Array.from(this.#tables.notes.rows(everything), ({ key, value }) => {
      return { key, bytes: value.length, putMs: decodeNote(value)?.putMs ?? 0 };
    });
    notes.sort((a, b) => b.putMs - a.putMs);
    for (const [index, { key, bytes, putMs }] of notes.entries()) {
      if (index < maxNotes && putMs >= nowMs - maxAgeMs) continue;
      this.#tables.notes.remove(key);
      this.#totals.bytes -= noteCost(bytes);
    }
  }
}

function isLinked(thread: Thread): boolean {
  for (const entry of thread.entries) if (!entry.mark.isLinked) return false;
  return true;
}
