import { blobKey, idBytes, isHashOf, namedKey, ownerBytes, ownerTag, threadKey } from "./key.js";
import * as record from "./record.js";
import { Refused } from "./refused.js";
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
import { blobCost, checkpointCost, Ledger, noteCost } from "./totals.js";

const maxMemoBytes = 64 * 1024;
const maxNoteBytes = 8 * 1024 * 1024;
const refreshFreshMs = 60_000;
const refreshMarkMs = 60 * 60 * 1000;
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
  readonly #refused: Refused;
  readonly #ledger: Ledger;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor({ tables, maxBytes, maxAgeMs = defaultMaxAgeMs, now, onProblem = () => {} }: TableStoreOptions) {
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

  putBlob(owner: string, id: Uint8Array, data: Uint8Array): void {
    const key = blobKey(this.#ownerTag(owner), id);
    if (!isHashOf(id, data)) this.#report("A blob is not what its id says");
    else if (this.#tables.blobs.get(key) !== undefined) this.#keepFresh(key, data.length);
    else if (!this.#hasRoom(blobCost(data.length))) {
      this.#refused.add(key);
      this.#report("There is no room for a blob");
    } else {
      this.#refused.delete(key);
      this.#tables.blobs.put(key, copyOf(data));
      this.#tables.fresh.put(key, record.encodeFreshness({ putMs: this.#now(), bytes: data.length }));
      this.#ledger.add({ blobs: 1, bytes: blobCost(data.length) });
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
    else if (this.#refused.isNamedBy(tag, checkpoint.state)) this.#report("Blobs of a checkpoint could not be stored");
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
    if (bytes.length > maxNoteBytes) this.#report("A note is over 8 MiB");
    else if (!this.#hasRoom(noteCost(bytes.length))) this.#report("There is no room for a note");
    else {
      const row = namedKey(this.#ownerTag(owner), key);
      const before = this.#tables.notes.get(row);
      this.#tables.notes.put(row, bytes);
      this.#ledger.add({ bytes: noteCost(bytes.length) - (before === undefined ? 0 : noteCost(before.length)) });
    }
  }

  deleteNote(owner: string, key: string): void {
    const row = namedKey(this.#ownerTag(owner), key);
    const note = this.#tables.notes.get(row);
    if (note === undefined) return;
    this.#tables.notes.remove(row);
    this.#ledger.add({ bytes: -noteCost(note.length) });
  }

  flush(): Promise<void> {
    return this.#tables.flush();
  }

  stats(): StoreStats {
    return { ...this.#ledger.counted() };
  }

  sweep(nowMs: number): Dropped {
    this.#sweptMs = this.#now();
    const limits = { nowMs, maxBytes: this.#maxBytes, maxAgeMs: this.#maxAgeMs };
    const dropped = sweepTables(this.#tables, this.#ledger.counted(), limits);
    this.#ledger.save();
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
    this.#ledger.add({ checkpoints: 1, bytes: checkpointCost(bytes.length) });
  }

  #removeCheckpoint(row: Buffer): void {
    const markRow = this.#tables.marks.get(row);
    if (markRow === undefined && this.#tables.checkpoints.get(row) === undefined) return;
    this.#tables.checkpoints.remove(row);
    this.#tables.marks.remove(row);
    const mark = markRow === undefined ? undefined : record.decodeMark(markRow);
    if (mark === undefined) return;
    this.#tables.loose.put(Buffer.concat([row.subarray(0, ownerBytes), mark.conversation]), Buffer.from([1]));
    this.#ledger.add({ checkpoints: -1, bytes: -checkpointCost(mark.bytes) });
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
    const isFull = () => (this.#ledger.known?.bytes ?? 0) + bytes > this.#maxBytes * 1.25;
    if (isFull() && this.#now() - this.#sweptMs >= sweepEveryMs) this.sweep(this.#now());
    return !isFull();
  }

  #report(what: string): void {
    this.#onProblem(new Error(`${what}: it was not stored.`));
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
