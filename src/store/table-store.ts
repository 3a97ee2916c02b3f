import { blobKey, idBytes, isHashOf, namedKey, ownerBytes, ownerTag, threadKey } from "./key.js";
import { followIds } from "./reachable.js";
import * as record from "./record.js";
import {
  type Checkpoint,
  type Dropped,
  defaultMaxAgeMs,
  type Store,
  type StoreOptions,
  type StoreStats,
} from "./store.js";
import { sweepTables } from "./sweep.js";
import type { Tables } from "./tables.js";
import {
  blobCost,
  checkpointCost,
  countTotals,
  isOutOfDate,
  loadTotals,
  noteCost,
  saveTotals,
  type Totals,
} from "./totals.js";

const maxMemoBytes = 64 * 1024;
const maxNoteBytes = 16 * 1024;
/** Ids of refused blobs that are remembered so that no checkpoint is kept without them. */
const maxRefused = 10_000;
const refreshFreshMs = 60_000;
const refreshMarkMs = 60 * 60 * 1000;
/** Two processes on one folder do not know of each other's changes; counting takes a while where there is much. */
const countEveryMs = 10 * 60 * 1000;
const maxOwnersRemembered = 1_000;
/** A sweep that writing asks for, because the one of the timer comes too late. */
const sweepEveryMs = 1_000;

interface TableStoreOptions extends StoreOptions {
  readonly tables: Tables;
  readonly maxBytes: number;
}

/** The rules of a store, whatever its tables are made of. */
export class TableStore implements Store {
  readonly #tables: Tables;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  readonly #onProblem: (problem: Error) => void;
  readonly #owners = new Map<string, Buffer>();
  readonly #refused = new Set<string>();
  /** Kept in step with every change, once they are known. */
  #totals: Totals | undefined;
  #countedMs = Number.NEGATIVE_INFINITY;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor({ tables, maxBytes, maxAgeMs = defaultMaxAgeMs, now, onProblem = () => {} }: TableStoreOptions) {
    this.#tables = tables;
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
    this.#onProblem = onProblem;
    this.#totals = loadTotals(tables);
  }

  getBlob(owner: string, id: Uint8Array): Uint8Array | undefined {
    if (id.length !== idBytes) return undefined;
    const key = blobKey(this.#ownerTag(owner), id);
    const data = this.#tables.blobs.get(key);
    if (data === undefined || isHashOf(id, data)) return data;
    // Left in place it would keep the true blob from being stored.
    this.#tables.blobs.remove(key);
    this.#tables.fresh.remove(key);
    this.#totals = undefined;
    this.#onProblem(new Error("A stored blob was damaged and has been dropped."));
    return undefined;
  }

  putBlob(owner: string, id: Uint8Array, data: Uint8Array): void {
    const key = blobKey(this.#ownerTag(owner), id);
    if (!isHashOf(id, data)) this.#report("A blob is not what its id says");
    else if (this.#tables.blobs.get(key) !== undefined) this.#keepFresh(key, data.length);
    else if (!this.#hasRoom(blobCost(data.length))) this.#refuse(key);
    else {
      this.#refused.delete(key.toString("latin1"));
      this.#tables.blobs.put(key, Buffer.from(data));
      this.#tables.fresh.put(key, record.encodeFreshness({ putMs: this.#now(), bytes: data.length }));
      this.#add(1, 0, blobCost(data.length));
    }
  }

  getCheckpoint(owner: string, key: string): Checkpoint | undefined {
    const row = namedKey(this.#ownerTag(owner), key);
    const bytes = this.#tables.checkpoints.get(row);
    if (bytes === undefined) return undefined;
    const checkpoint = record.decodeCheckpoint(bytes);
    if (checkpoint === undefined) {
      this.#onProblem(new Error("A stored checkpoint was damaged and has been dropped."));
      this.#removeCheckpoint(row);
      return undefined;
    }
    this.#refresh(row, checkpoint.conversationId, bytes.length);
    return checkpoint;
  }

  putCheckpoint(owner: string, key: string, checkpoint: Checkpoint): void {
    const tag = this.#ownerTag(owner);
    const bytes = record.encodeCheckpoint(checkpoint);
    if (Buffer.byteLength(checkpoint.memo) > maxMemoBytes) this.#report("A checkpoint's memo is over 64 KiB");
    else if (this.#namesRefused(tag, checkpoint.state)) this.#report("Blobs of a checkpoint could not be stored");
    else if (!this.#hasRoom(checkpointCost(bytes.length))) this.#report("There is no room for a checkpoint");
    else this.#keepCheckpoint(namedKey(tag, key), checkpoint.conversationId, bytes);
  }

  deleteCheckpoint(owner: string, key: string): void {
    this.#removeCheckpoint(namedKey(this.#ownerTag(owner), key));
  }

  getNote(owner: string, key: string): string | undefined {
    const bytes = this.#tables.notes.get(namedKey(this.#ownerTag(owner), key));
    const note = bytes === undefined ? undefined : record.decodeNote(bytes);
    return note !== undefined && note.putMs >= this.#now() - this.#maxAgeMs ? note.value : undefined;
  }

  putNote(owner: string, key: string, value: string): void {
    const bytes = record.encodeNote({ putMs: this.#now(), value });
    if (bytes.length > maxNoteBytes) this.#report("A note is over 16 KiB");
    else if (!this.#hasRoom(noteCost(bytes.length))) this.#report("There is no room for a note");
    else {
      const row = namedKey(this.#ownerTag(owner), key);
      const before = this.#tables.notes.get(row);
      this.#tables.notes.put(row, bytes);
      this.#add(0, 0, noteCost(bytes.length) - (before === undefined ? 0 : noteCost(before.length)));
    }
  }

  flush(): Promise<void> {
    return this.#tables.flush();
  }

  stats(): StoreStats {
    return { ...this.#countedTotals() };
  }

  sweep(nowMs: number): Dropped {
    this.#sweptMs = this.#now();
    const totals = this.#countedTotals();
    const dropped = sweepTables(this.#tables, totals, { nowMs, maxBytes: this.#maxBytes, maxAgeMs: this.#maxAgeMs });
    saveTotals(this.#tables, totals);
    return dropped;
  }

  close(): Promise<void> {
    return this.#tables.close();
  }

  #keepCheckpoint(row: Buffer, conversationId: string, bytes: Buffer): void {
    const before = this.#tables.checkpoints.get(row);
    if (before !== undefined && bytes.equals(before)) {
      this.#refresh(row, conversationId, bytes.length); // the last checkpoint of a turn comes up to three times
      return;
    }
    this.#removeCheckpoint(row);
    this.#tables.checkpoints.put(row, bytes);
    this.#putMark(row, conversationId, bytes.length, false);
    this.#add(0, 1, checkpointCost(bytes.length));
  }

  #removeCheckpoint(row: Buffer): void {
    const markRow = this.#tables.marks.get(row);
    if (markRow === undefined) return;
    this.#tables.checkpoints.remove(row);
    this.#tables.marks.remove(row);
    const mark = record.decodeMark(markRow);
    if (mark === undefined) return;
    this.#tables.loose.put(Buffer.concat([row.subarray(0, ownerBytes), mark.conversation]), Buffer.from([1]));
    this.#add(0, -1, -checkpointCost(mark.bytes));
  }

  /** Written at most once an hour, or a thirtieth of the time it has to live. */
  #refresh(row: Buffer, conversationId: string, bytes: number): void {
    const markRow = this.#tables.marks.get(row);
    const mark = markRow === undefined ? undefined : record.decodeMark(markRow);
    if (mark !== undefined && this.#now() - mark.usedMs < Math.min(refreshMarkMs, this.#maxAgeMs / 30)) return;
    this.#putMark(row, conversationId, bytes, mark?.isLinked ?? false);
  }

  #putMark(row: Buffer, conversationId: string, bytes: number, isLinked: boolean): void {
    const conversation = threadKey(row.subarray(0, ownerBytes), conversationId).subarray(ownerBytes);
    this.#tables.marks.put(row, record.encodeMark({ usedMs: this.#now(), bytes, conversation, isLinked }));
  }

  /** A blob that is put again is wanted for another hour, though its conversation may be dropped. */
  #keepFresh(blob: Buffer, bytes: number): void {
    const row = this.#tables.fresh.get(blob);
    const putMs = (row === undefined ? undefined : record.decodeFreshness(row))?.putMs ?? 0;
    const now = this.#now();
    if (putMs <= now - refreshFreshMs) this.#tables.fresh.put(blob, record.encodeFreshness({ putMs: now, bytes }));
  }

  #hasRoom(bytes: number): boolean {
    if (this.#tables.isFull() || bytes > this.#maxBytes / 4) return false;
    const isFull = () => this.#totals !== undefined && this.#totals.bytes + bytes > this.#maxBytes * 1.25;
    if (isFull() && this.#now() - this.#sweptMs >= sweepEveryMs) this.sweep(this.#now());
    return !isFull();
  }

  #refuse(blob: Buffer): void {
    if (this.#refused.size >= maxRefused) this.#refused.clear();
    this.#refused.add(blob.toString("latin1"));
    this.#report("There is no room for a blob");
  }

  #namesRefused(owner: Buffer, state: Uint8Array): boolean {
    if (this.#refused.size === 0) return false;
    const seen = new Set<string>();
    let isRefused = false;
    followIds(state, (id) => {
      if (seen.has(id)) return undefined;
      seen.add(id);
      const key = blobKey(owner, Buffer.from(id, "latin1"));
      isRefused ||= this.#refused.has(key.toString("latin1"));
      return this.#tables.blobs.get(key);
    });
    return isRefused;
  }

  #report(what: string): void {
    this.#onProblem(new Error(`${what}: it was not stored.`));
  }

  #countedTotals(): Totals {
    const isDue = this.#now() - this.#countedMs >= countEveryMs;
    if (this.#totals === undefined || (isDue && isOutOfDate(this.#totals, this.#tables))) {
      this.#totals = countTotals(this.#tables);
      this.#countedMs = this.#now();
      saveTotals(this.#tables, this.#totals);
    }
    return this.#totals;
  }

  #add(blobs: number, checkpoints: number, bytes: number): void {
    if (this.#totals === undefined) return;
    this.#totals.blobs += blobs;
    this.#totals.checkpoints += checkpoints;
    this.#totals.bytes += bytes;
    saveTotals(this.#tables, this.#totals);
  }

  #ownerTag(owner: string): Buffer {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    if (this.#owners.size >= maxOwnersRemembered) this.#owners.clear();
    const tag = ownerTag(owner);
    this.#owners.set(owner, tag);
    return tag;
  }
}
