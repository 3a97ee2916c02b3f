import { everything, ownerBytes, ownerOf } from "../key.js";
import {
  decodeFreshness,
  decodeMark,
  decodeNote,
  encodeFreshness,
  encodeMark,
  type Freshness,
  type Mark,
  stateOf,
} from "../record.js";
import type { Refused } from "../refused.js";
import type { Swept } from "../store.js";
import type { Tables } from "../tables.js";
import { blobCost, checkpointCost, type Ledger, noteCost } from "../totals.js";
import { OldestFirst } from "./oldest-first.js";
import { Reach } from "./reach.js";
import { work } from "./sweep-work.js";

/** A run may be under way whose checkpoint is still to come: an hour, and the minute within which a blob put again is not noted. */
const freshMs = 61 * 60 * 1000;
/** While there is too much, so that runs which never came to a checkpoint cannot fill a store for an hour. */
const crowdedFreshMs = 5 * 60 * 1000;
const maxNotes = 10_000;
/** Short enough that nobody's stream is seen to stop. */
const defaultSliceWork = 1_500;

const isLoose = Buffer.from([1]);

interface SweepDeps {
  readonly tables: Tables;
  readonly ledger: Ledger;
  readonly refused: Refused;
  readonly nowMs: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly sliceWork?: number | undefined;
}

interface Entry {
  readonly name: string;
  readonly thread: Thread;
  readonly bytes: number;
  usedMs: number;
  isLinked: boolean;
}

interface Thread {
  readonly key: Buffer;
  readonly entries: Set<Entry>;
  /** Its row when all its checkpoints were known here; another process may have put one since. */
  row: Uint8Array | undefined;
  /** Counts the checkpoints that came and went: what was worked out from them before does not hold any more. */
  changes: number;
}

/**
 * One look through a store, in slices between which the store is used: it drops what is too old or too much, oldest first, and
 * every blob that no checkpoint reaches. It has to be told of checkpoints that come and go meanwhile. When it is broken off,
 * the next one finds what is left to do.
 */
export class SweepPass {
  readonly #deps: SweepDeps;
  readonly #tables: Tables;
  readonly #reach: Reach;
  readonly #entries = new Map<string, Entry>();
  readonly #threads = new Map<string, Thread>();
  /** With checkpoints whose blobs have not been entered into the conversation's reach. */
  readonly #unlinked = new Set<Thread>();
  /** Lost a checkpoint, and perhaps with it some blobs. */
  readonly #loose = new Set<Thread>();
  readonly #checkpoints = new OldestFirst<Entry>();
  readonly #notes = new OldestFirst<string>();
  readonly #steps: Generator<number, undefined>;
  #noteCount = 0;
  #dropped = { checkpoints: 0, blobs: 0 };

  constructor(deps: SweepDeps) {
    this.#deps = deps;
    this.#tables = deps.tables;
    this.#reach = new Reach(deps.tables);
    this.#steps = this.#run();
  }

  slice(): Swept {
    this.#dropped = { checkpoints: 0, blobs: 0 };
    let isDone = false;
    for (let left = this.#deps.sliceWork ?? defaultSliceWork; left > 0 && !isDone; ) {
      const step = this.#steps.next();
      isDone = step.done === true;
      left -= step.value ?? 0;
    }
    this.#deps.ledger.save();
    return { ...this.#dropped, isDone };
  }

  /** A checkpoint was put, or used again. */
  noteMark(key: Buffer, mark: Mark): void {
    this.#enter(key, mark).usedMs = mark.usedMs;
  }

  /** This process has put a checkpoint into a conversation. */
  noteThread(key: Buffer, before: Uint8Array | undefined, row: Uint8Array): void {
    const thread = this.#threadOf(key);
    if (isSame(thread.row, before)) thread.row = row;
  }

  noteRemoval(key: Buffer): void {
    const entry = this.#entries.get(key.toString("latin1"));
    if (entry !== undefined) this.#forget(entry);
  }

  *#run(): Generator<number, undefined> {
    yield* this.#readNotes();
    yield* this.#deps.ledger.recount();
    yield* this.#readMarks();
    yield* this.#dropOld();
    // A blob may be let go only when all who reach it are known.
    yield* this.#linkAll();
    yield* this.#settleLoose();
    yield* this.#dropUnreached();
    yield* this.#dropSurplus();
    yield* this.#settleLoose();
  }

  *#readMarks(): Generator<number, undefined> {
    // Before the checkpoints themselves: one that is put while they are read may be missed.
    for (const { key, value } of this.#tables.threads.rows(everything)) {
      this.#threadOf(key).row = value;
      yield work.row;
    }
    for (const { key, value } of this.#tables.marks.rows(everything)) {
      const mark = decodeMark(value);
      if (mark === undefined) {
        this.#tables.marks.remove(key);
        this.#tables.checkpoints.remove(key);
      } else this.#enter(key, mark);
      yield work.row;
    }
    for (const { key } of this.#tables.loose.rows(everything)) {
      this.#loose.add(this.#threadOf(key));
      yield work.row;
    }
  }

  *#readNotes(): Generator<number, undefined> {
    const { notes, noteMarks } = this.#tables;
    const counts = [notes.count(), noteMarks.count()];
    if (!counts.includes(undefined) && counts[0] !== counts[1]) yield* this.#markNotes();
    for (const { key, value } of noteMarks.rows(everything)) {
      this.#noteCount++;
      this.#notes.push(decodeFreshness(value)?.putMs ?? 0, key.toString("latin1"));
      yield work.row;
    }
  }

  /** Earlier versions kept notes without marks. */
  *#markNotes(): Generator<number, undefined> {
    const { notes, noteMarks } = this.#tables;
    for (const { key, value } of notes.rows(everything)) {
      if (noteMarks.get(key) === undefined) {
        const putMs = decodeNote(value)?.putMs ?? 0;
        noteMarks.put(key, encodeFreshness({ putMs, bytes: value.length }));
      }
      yield work.row + (value.length / 1024) * work.kilobyte;
    }
  }

  #enter(key: Buffer, { usedMs, bytes, isLinked, conversation }: Mark): Entry {
    const name = key.toString("latin1");
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const thread = this.#threadOf(Buffer.concat([ownerOf(key), conversation]));
    const entry = { name, thread, bytes, usedMs, isLinked };
    this.#entries.set(name, entry);
    thread.entries.add(entry);
    thread.changes++;
    if (!isLinked) this.#unlinked.add(thread);
    this.#checkpoints.push(usedMs, entry);
    return entry;
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.name);
    entry.thread.entries.delete(entry);
    entry.thread.changes++;
    this.#loose.add(entry.thread);
  }

  #threadOf(key: Buffer): Thread {
    const name = key.toString("latin1");
    const thread = this.#threads.get(name) ?? { key, entries: new Set(), row: undefined, changes: 0 };
    this.#threads.set(name, thread);
    return thread;
  }

  #oldestCheckpoint(): Entry | undefined {
    for (let top = this.#checkpoints.peek(); top !== undefined; top = this.#checkpoints.peek()) {
      const { item: entry, timeMs } = top;
      const isThere = this.#entries.get(entry.name) === entry;
      if (isThere && entry.usedMs === timeMs) return entry;
      this.#checkpoints.pop();
      if (isThere) this.#checkpoints.push(entry.usedMs, entry);
    }
    return undefined;
  }

  #oldestNote(): { key: Buffer; mark: Freshness } | undefined {
    for (let top = this.#notes.peek(); top !== undefined; top = this.#notes.peek()) {
      const key = Buffer.from(top.item, "latin1");
      const row = this.#tables.noteMarks.get(key);
      const mark = row === undefined ? undefined : (decodeFreshness(row) ?? { putMs: 0, bytes: 0 });
      if (mark?.putMs === top.timeMs) return { key, mark };
      this.#notes.pop();
      if (mark !== undefined) this.#notes.push(mark.putMs, top.item);
    }
    return undefined;
  }

  *#dropOld(): Generator<number, undefined> {
    const oldestMs = this.#deps.nowMs - this.#deps.maxAgeMs;
    for (let entry = this.#oldestCheckpoint(); entry !== undefined; entry = this.#oldestCheckpoint()) {
      if (entry.usedMs >= oldestMs) break;
      this.#dropCheckpoint(entry);
      yield work.checkpoint;
    }
    for (let note = this.#oldestNote(); note !== undefined; note = this.#oldestNote()) {
      if (note.mark.putMs >= oldestMs && this.#noteCount <= maxNotes) break;
      this.#dropNote(note);
      yield work.checkpoint;
    }
  }

  *#dropSurplus(): Generator<number, undefined> {
    const { maxBytes } = this.#deps;
    if (this.#bytes <= maxBytes) return;
    while (this.#bytes > maxBytes - maxBytes / 16) {
      const entry = this.#oldestCheckpoint();
      const note = this.#oldestNote();
      if (note !== undefined && note.mark.putMs <= (entry?.usedMs ?? Number.POSITIVE_INFINITY)) this.#dropNote(note);
      else if (entry === undefined) return;
      else {
        this.#dropCheckpoint(entry);
        // Blobs are most of the bytes: they must be gone before the next checkpoint is judged.
        if (entry.thread.entries.size === 0) yield* this.#settle(entry.thread);
      }
      yield work.checkpoint;
    }
  }

  get #bytes(): number {
    return this.#deps.ledger.known?.bytes ?? 0;
  }

  #dropCheckpoint(entry: Entry): void {
    const key = Buffer.from(entry.name, "latin1");
    this.#tables.checkpoints.remove(key);
    this.#tables.marks.remove(key);
    this.#tables.loose.put(entry.thread.key, isLoose);
    this.#forget(entry);
    this.#deps.ledger.adjust({ checkpoints: -1, bytes: -checkpointCost(entry.bytes) });
    this.#dropped.checkpoints++;
  }

  #dropNote({ key, mark }: { key: Buffer; mark: Freshness }): void {
    this.#tables.notes.remove(key);
    this.#tables.noteMarks.remove(key);
    this.#noteCount--;
    this.#deps.ledger.adjust({ bytes: -noteCost(mark.bytes) });
  }

  /** Until the blobs of every checkpoint are in the books, also of those that came meanwhile. */
  *#linkAll(): Generator<number, undefined> {
    for (const thread of this.#unlinked) {
      this.#unlinked.delete(thread);
      const known = new Set((yield* this.#reach.reachedBy(thread.key)).keys());
      // In a loose conversation, letting go or entering may have been broken off between a blob and those that it names.
      const books = { known, followed: this.#loose.has(thread) ? new Set<string>() : known };
      this.#tables.loose.put(thread.key, isLoose);
      for (const entry of thread.entries) if (!entry.isLinked) yield* this.#link(entry, books);
      if (!this.#loose.has(thread)) this.#tables.loose.remove(thread.key);
    }
  }

  *#link(entry: Entry, books: { known: Set<string>; followed: Set<string> }): Generator<number, undefined> {
    const { key: threadKey } = entry.thread;
    const state = this.#stateOf(entry);
    if (state === undefined) {
      this.#dropCheckpoint(entry);
      return;
    }
    yield* this.#reach.link(threadKey, books, state);
    if (this.#entries.get(entry.name) !== entry) return;
    entry.isLinked = true;
    const { usedMs, bytes } = entry;
    const mark = { usedMs, bytes, conversation: threadKey.subarray(ownerBytes), isLinked: true };
    this.#tables.marks.put(Buffer.from(entry.name, "latin1"), encodeMark(mark));
    yield work.checkpoint;
  }

  *#settleLoose(): Generator<number, undefined> {
    for (const thread of this.#loose) yield* this.#settle(thread);
  }

  /** Lets go of the blobs that only dropped checkpoints reached. The newest checkpoint nearly always reaches all the rest. */
  *#settle(thread: Thread): Generator<number, undefined> {
    yield* this.#linkAll(); // only what is in the books is followed
    const { changes } = thread;
    const newestFirst = [...thread.entries].sort((a, b) => b.usedMs - a.usedMs || b.bytes - a.bytes);
    const unreached = yield* this.#reach.unreachedBy(thread.key, this.#statesOf(newestFirst));
    for (const [id, bytes] of unreached) {
      yield* this.#linkAll(); // a checkpoint of another conversation that has just come may reach it
      if (thread.changes !== changes || !this.#isKnown(thread)) return; // a later look will know what a new one of its own reaches
      const blob = this.#reach.letGo(thread.key, id);
      if (blob !== undefined && !this.#isFresh(blob)) this.#dropBlob(blob, bytes);
      yield work.blob;
    }
    if (thread.changes !== changes || !this.#isKnown(thread)) return;
    this.#tables.loose.remove(thread.key);
    this.#loose.delete(thread);
    if (thread.entries.size === 0) this.#tables.threads.remove(thread.key);
  }

  /** Whether no other process has put a checkpoint into it since this sweep began. */
  #isKnown({ key, row }: Thread): boolean {
    return isSame(row, this.#tables.threads.get(key));
  }

  *#statesOf(entries: readonly Entry[]): IterableIterator<Uint8Array> {
    for (const entry of entries) {
      const state = this.#stateOf(entry);
      if (state !== undefined) yield state;
    }
  }

  #stateOf({ name }: Entry): Uint8Array | undefined {
    const record = this.#tables.checkpoints.get(Buffer.from(name, "latin1"));
    return record === undefined ? undefined : stateOf(record);
  }

  *#dropUnreached(): Generator<number, undefined> {
    const { nowMs, maxBytes, refused } = this.#deps;
    const keptMs = this.#bytes > maxBytes ? crowdedFreshMs : freshMs;
    for (const { key, value } of this.#tables.fresh.rows(everything)) {
      const freshness = decodeFreshness(value);
      if (freshness === undefined || freshness.putMs <= nowMs - keptMs) {
        if (this.#reach.isHeld(key)) this.#tables.fresh.remove(key);
        else {
          if (this.#isFresh(key)) refused.add(key); // no checkpoint that is still to come may count on it
          this.#dropBlob(key, freshness?.bytes ?? 0);
        }
        yield work.blob;
      }
      yield work.row;
      yield* this.#linkAll(); // a checkpoint that has just come may reach what is next
    }
  }

  #dropBlob(blob: Buffer, bytes: number): void {
    this.#tables.blobs.remove(blob);
    this.#tables.fresh.remove(blob);
    this.#deps.ledger.adjust({ blobs: -1, bytes: -blobCost(bytes) });
    this.#dropped.blobs++;
  }

  #isFresh(blob: Buffer): boolean {
    const row = this.#tables.fresh.get(blob);
    const putMs = (row === undefined ? undefined : decodeFreshness(row))?.putMs;
    return putMs !== undefined && putMs > this.#deps.nowMs - freshMs;
  }
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}
