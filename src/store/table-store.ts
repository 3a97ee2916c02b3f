import { randomBytes } from "node:crypto";
import { blobKey, idBytes, isHashOf, namedKey, ownerBytes, ownerTag, threadKey } from "./key.js";
import { followIds } from "./reachable.js";
import * as record from "./record.js";
import { Refused } from "./refused.js";
import {
  type BlobOptions,
  type Checkpoint,
  defaultMaxAgeMs,
  type Store,
  type StoreOptions,
  type StoreStats,
  type Swept,
} from "./store.js";
import { SweepPass } from "./sweep/sweep-pass.js";
import type { Tables } from "./tables.js";
import { blobCost, checkpointCost, Ledger, noteCost } from "./totals.js";

const maxMemoBytes = 64 * 1024;
const maxNoteBytes = 8 * 1024 * 1024;
const refreshFreshMs = 60_000;
/** What is in use must not look older than what is not, however fast a small store is filled. */
const refreshMarkMs = 1_000;
const maxOwnersRemembered = 1_000;
/** While there is too much, a sweep begins whenever this part of the limit has been written or refused since the last one. */
const sweptPart = 1 / 32;
/** Between two slices while there is no hurry, so that a sweep takes no more than a part of the time. */
const restBetweenSlicesMs = 10;

interface TableStoreOptions extends StoreOptions {
  readonly tables: Tables;
  readonly maxBytes: number;
}

/** The rules of a store, whatever its tables are made of. */
export class TableStore implements Store {
  readonly #tables: Tables;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #sliceWork: number | undefined;
  readonly #now: () => number;
  readonly #onProblem: (problem: Error) => void;
  readonly #owners = new Map<string, Buffer>();
  readonly #refused: Refused;
  readonly #ledger: Ledger;
  #pass: SweepPass | undefined;
  /** Set while a slice is to come; calls it off. */
  #callOffSlice: (() => void) | undefined;
  #isSliceUrgent = false;
  #isClosed = false;
  /** Since the last sweep began. */
  #askedBytes = 0;

  constructor(options: TableStoreOptions) {
    const { tables, maxBytes, maxAgeMs = defaultMaxAgeMs, now, onProblem = () => {} } = options;
    this.#sliceWork = options.sliceWork;
    this.#tables = tables;
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
    this.#onProblem = onProblem;
    this.#refused = new Refused(tables, now);
    this.#ledger = new Ledger(tables, now);
  }

  getBlob(owner: string, id: Uint8Array): Uint8Array | undefined {
    if (id.length !== idBytes) return undefined;
    const key = blobKey(this.#ownerTag(owner), id);
    const data = this.#tables.blobs.get(key);
    if (data === undefined || isHashOf(id, data)) return data;
    // Left in place it would keep the true blob from being stored.
    this.#tables.blobs.remove(key);
    this.#tables.fresh.remove(key);
    this.#ledger.forget();
    this.#onProblem(new Error("A stored blob was damaged and has been dropped."));
    return undefined;
  }

  putBlob(owner: string, id: Uint8Array, data: Uint8Array, { isHashed = false }: BlobOptions = {}): boolean {
    const key = blobKey(this.#ownerTag(owner), id);
    if (!isHashed && !isHashOf(id, data)) return this.#refuse("A blob is not what its id says");
    if (this.#tables.blobs.has(key)) {
      this.#refused.delete(key);
      this.#keepFresh(key, data.length);
      return true;
    }
    if (!this.#hasRoom(blobCost(data.length))) {
      this.#refused.add(key);
      return this.#refuse("There is no room for a blob");
    }
    this.#refused.delete(key);
    this.#tables.blobs.put(key, copyOf(data));
    this.#tables.fresh.put(key, record.encodeFreshness({ putMs: this.#now(), bytes: data.length }));
    this.#ledger.add({ blobs: 1, bytes: blobCost(data.length) });
    return true;
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

  putCheckpoint(owner: string, key: string, checkpoint: Checkpoint): boolean {
    const tag = this.#ownerTag(owner);
    const bytes = record.encodeCheckpoint(checkpoint);
    if (Buffer.byteLength(checkpoint.memo) > maxMemoBytes) return this.#refuse("A checkpoint's memo is over 64 KiB");
    const isWhole = !this.#refused.isNamedBy(tag, checkpoint.state);
    if (!isWhole || !this.#hasRoom(checkpointCost(bytes.length))) {
      this.#letGoOf(tag, checkpoint.state);
      return this.#refuse(isWhole ? "There is no room for a checkpoint" : "Blobs of a checkpoint could not be stored");
    }
    this.#keepCheckpoint(namedKey(tag, key), checkpoint.conversationId, bytes);
    return true;
  }

  deleteCheckpoint(owner: string, key: string): void {
    this.#removeCheckpoint(namedKey(this.#ownerTag(owner), key));
  }

  getNote(owner: string, key: string): string | undefined {
    const bytes = this.#tables.notes.get(namedKey(this.#ownerTag(owner), key));
    const note = bytes === undefined ? undefined : record.decodeNote(bytes);
    return note !== undefined && note.putMs >= this.#now() - this.#maxAgeMs ? note.value : undefined;
  }

  putNote(owner: string, key: string, value: string): boolean {
    const putMs = this.#now();
    const bytes = record.encodeNote({ putMs, value });
    if (bytes.length > maxNoteBytes) return this.#refuse("A note is over 8 MiB");
    if (!this.#hasRoom(noteCost(bytes.length))) return this.#refuse("There is no room for a note");
    const row = namedKey(this.#ownerTag(owner), key);
    this.#removeNote(row);
    this.#tables.notes.put(row, bytes);
    this.#tables.noteMarks.put(row, record.encodeFreshness({ putMs, bytes: bytes.length }));
    this.#ledger.add({ bytes: noteCost(bytes.length) });
    return true;
  }

  deleteNote(owner: string, key: string): void {
    this.#removeNote(namedKey(this.#ownerTag(owner), key));
  }

  flush(): Promise<void> {
    return this.#tables.flush();
  }

  stats(): StoreStats {
    return { ...this.#ledger.counted() };
  }

  sweep(nowMs: number): Swept {
    if (this.#pass === undefined) this.#askedBytes = 0;
    this.#pass ??= new SweepPass({
      tables: this.#tables,
      ledger: this.#ledger,
      refused: this.#refused,
      nowMs,
      maxBytes: this.#maxBytes,
      maxAgeMs: this.#maxAgeMs,
      sliceWork: this.#sliceWork,
    });
    const swept = this.#pass.slice();
    this.#callOffSlice?.();
    this.#callOffSlice = undefined;
    if (swept.isDone) this.#pass = undefined;
    else this.#sweepSoon(this.#isOver(this.#maxBytes));
    return swept;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#callOffSlice?.();
    return this.#tables.close();
  }

  #sweepSoon(isUrgent: boolean): void {
    if (this.#isClosed || (this.#callOffSlice !== undefined && (!isUrgent || this.#isSliceUrgent))) return;
    this.#callOffSlice?.();
    this.#isSliceUrgent = isUrgent;
    const sweep = () => this.sweep(this.#now());
    if (isUrgent) {
      const slice = setImmediate(sweep).unref();
      this.#callOffSlice = () => clearImmediate(slice);
    } else {
      const slice = setTimeout(sweep, restBetweenSlicesMs).unref();
      this.#callOffSlice = () => clearTimeout(slice);
    }
  }

  #keepCheckpoint(row: Buffer, conversationId: string, bytes: Buffer): void {
    const before = this.#tables.checkpoints.get(row);
    if (before !== undefined && bytes.equals(before)) {
      this.#refresh(row, conversationId, bytes.length); // the last checkpoint of a turn comes up to three times
      return;
    }
    this.#removeCheckpoint(row);
    this.#tables.checkpoints.put(row, bytes);
    this.#changeThread(threadKey(row.subarray(0, ownerBytes), conversationId));
    this.#putMark(row, conversationId, bytes.length, false);
    this.#ledger.add({ checkpoints: 1, bytes: checkpointCost(bytes.length) });
  }

  #changeThread(thread: Buffer): void {
    const before = this.#tables.threads.get(thread);
    const row = randomBytes(8);
    this.#tables.threads.put(thread, row);
    this.#pass?.noteThread(thread, before, row);
  }

  /** Blobs that were put for a checkpoint which is not kept must not fill a store that has no room. */
  #letGoOf(owner: Buffer, state: Uint8Array): void {
    const seen = new Set<string>();
    const steps = followIds(state, (id) => {
      if (seen.has(id)) return undefined;
      seen.add(id);
      const key = blobKey(owner, Buffer.from(id, "latin1"));
      const row = this.#tables.fresh.get(key);
      if (row === undefined) return undefined; // reached by another checkpoint, or not there
      this.#tables.fresh.put(key, record.encodeFreshness({ putMs: 0, bytes: record.decodeFreshness(row)?.bytes ?? 0 }));
      this.#refused.add(key); // another checkpoint that names it has to put it again
      return this.#tables.blobs.get(key);
    });
    for (const _ of steps);
  }

  #removeCheckpoint(row: Buffer): void {
    const markRow = this.#tables.marks.get(row);
    if (markRow === undefined && !this.#tables.checkpoints.has(row)) return;
    this.#pass?.noteRemoval(row);
    this.#tables.checkpoints.remove(row);
    this.#tables.marks.remove(row);
    const mark = markRow === undefined ? undefined : record.decodeMark(markRow);
    if (mark === undefined) return;
    this.#tables.loose.put(Buffer.concat([row.subarray(0, ownerBytes), mark.conversation]), Buffer.from([1]));
    this.#ledger.add({ checkpoints: -1, bytes: -checkpointCost(mark.bytes) });
  }

  #removeNote(row: Buffer): void {
    const note = this.#tables.notes.get(row);
    if (note === undefined) return;
    this.#tables.notes.remove(row);
    this.#tables.noteMarks.remove(row);
    this.#ledger.add({ bytes: -noteCost(note.length) });
  }

  #refresh(row: Buffer, conversationId: string, bytes: number): void {
    const markRow = this.#tables.marks.get(row);
    const mark = markRow === undefined ? undefined : record.decodeMark(markRow);
    if (mark !== undefined && this.#now() - mark.usedMs < refreshMarkMs) return;
    this.#putMark(row, conversationId, bytes, mark?.isLinked ?? false);
  }

  #putMark(row: Buffer, conversationId: string, bytes: number, isLinked: boolean): void {
    const conversation = threadKey(row.subarray(0, ownerBytes), conversationId).subarray(ownerBytes);
    const mark = { usedMs: this.#now(), bytes, conversation, isLinked };
    this.#tables.marks.put(row, record.encodeMark(mark));
    this.#pass?.noteMark(row, mark);
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
    this.#askedBytes += bytes;
    const isDue = this.#pass !== undefined || this.#askedBytes >= this.#maxBytes * sweptPart;
    if (isDue && this.#isOver(this.#maxBytes - bytes)) {
      // At most one slice in one turn of the event loop: the next is waited for.
      if (this.#isOver(this.#maxBytes * 1.25 - bytes) && this.#callOffSlice === undefined) this.sweep(this.#now());
      else this.#sweepSoon(true);
    }
    return !this.#isOver(this.#maxBytes * 1.25 - bytes);
  }

  #isOver(bytes: number): boolean {
    return (this.#ledger.known?.bytes ?? 0) > bytes;
  }

  #refuse(what: string): false {
    this.#onProblem(new Error(`${what}: it was not stored.`));
    return false;
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

/** Not from Node's pool: a small blob would keep a whole slab of it alive. */
function copyOf(data: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}
