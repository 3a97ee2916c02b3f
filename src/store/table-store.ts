import { BoundedMap } from "../turn/bounded-map.js";
import { checkpointRows } from "./checkpoint-rows.js";
import { blobKey, copyOf, ID_BYTES, isHashOf, namedKey, ownerTag } from "./key.js";
import { followIds } from "./reachable.js";
import * as record from "./record.js";
import { Refused } from "./refused.js";
import type { BlobOptions, Checkpoint, Store, StoreOptions, StoreStats, Swept } from "./store.js";
import { Sweeper } from "./sweep/sweeper.js";
import type { Tables } from "./tables.js";
import { costOf, Ledger } from "./totals.js";

const DEFAULT_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_MEMO_BYTES = 64 * 1024;
const MAX_NOTE_BYTES = 8 * 1024 * 1024;
const REFRESH_FRESH_MS = 60_000;
const MAX_OWNERS_REMEMBERED = 1_000;

interface TableStoreOptions extends StoreOptions {
  readonly tables: Tables;
  readonly maxBytes: number;
}

export class TableStore implements Store {
  readonly #tables: Tables;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  readonly #onProblem: (problem: Error) => void;
  readonly #owners = new BoundedMap<string, Buffer>(MAX_OWNERS_REMEMBERED);
  readonly #refused: Refused;
  readonly #ledger: Ledger;
  readonly #sweeper: Sweeper;
  readonly #checkpoints: ReturnType<typeof checkpointRows>;

  constructor(options: TableStoreOptions) {
    const { tables, maxBytes, maxAgeMs = DEFAULT_MAX_AGE_MS, sliceWork, now, onProblem = () => {} } = options;
    this.#tables = tables;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
    this.#onProblem = onProblem;
    this.#refused = new Refused(tables, now);
    this.#ledger = new Ledger(tables, now);
    const parts = { tables, ledger: this.#ledger, now };
    this.#sweeper = new Sweeper({ ...parts, refused: this.#refused, maxBytes, maxAgeMs, sliceWork });
    this.#checkpoints = checkpointRows({ ...parts, sweeper: this.#sweeper });
  }

  getBlob(owner: string, id: Uint8Array): Uint8Array | undefined {
    if (id.length !== ID_BYTES) return undefined;
    const key = blobKey(this.#ownerTag(owner), id);
    const data = this.#tables.blobs.get(key);
    if (data === undefined || isHashOf(id, data)) return data;
    // A damaged blob that stays would keep the true one from being stored.
    this.#tables.blobs.remove(key);
    this.#tables.fresh.remove(key);
    this.#ledger.forget();
    this.#sweeper.noteChange();
    this.#onProblem(new Error("A stored blob was damaged and has been dropped."));
    return undefined;
  }

  putBlob(
    owner: string,
    id: Uint8Array,
    data: Uint8Array,
    { isHashed = false, isFinal = false }: BlobOptions = {},
  ): boolean {
    const key = blobKey(this.#ownerTag(owner), id);
    if (!isHashed && !isHashOf(id, data)) return this.#refuse("The content of a blob does not match its id");
    if (this.#tables.blobs.has(key)) {
      this.#refused.delete(key);
      this.#keepFresh(key, data.length);
      return true;
    }
    if (!this.#sweeper.hasRoom(costOf(data.length))) {
      this.#refused.add(key);
      return this.#refuse("There is no room for a blob");
    }
    this.#refused.delete(key);
    this.#tables.blobs.put(key, isFinal ? data : copyOf(data));
    this.#tables.fresh.put(key, record.encodeFreshness({ putMs: this.#now(), bytes: data.length }));
    this.#ledger.add({ blobs: 1, bytes: costOf(data.length) });
    return true;
  }

  getCheckpoint(owner: string, key: string): Checkpoint | undefined {
    const row = namedKey(this.#ownerTag(owner), key);
    const bytes = this.#tables.checkpoints.get(row);
    if (bytes === undefined) return undefined;
    const checkpoint = record.decodeCheckpoint(bytes);
    if (checkpoint === undefined) {
      this.#onProblem(new Error("A stored checkpoint was damaged and has been dropped."));
      this.#checkpoints.remove(row);
      return undefined;
    }
    this.#checkpoints.refresh(row, checkpoint.conversationId, bytes.length);
    return checkpoint;
  }

  putCheckpoint(owner: string, key: string, checkpoint: Checkpoint): boolean {
    const tag = this.#ownerTag(owner);
    const bytes = record.encodeCheckpoint(checkpoint);
    if (Buffer.byteLength(checkpoint.memo) > MAX_MEMO_BYTES) return this.#refuse("A checkpoint's memo is over 64 KiB");
    const isWhole = !this.#refused.isNamedBy(tag, checkpoint.state);
    if (!isWhole || !this.#sweeper.hasRoom(costOf(bytes.length))) {
      this.#letGoOf(tag, checkpoint.state);
      return this.#refuse(isWhole ? "There is no room for a checkpoint" : "Blobs of a checkpoint could not be stored");
    }
    this.#checkpoints.put(namedKey(tag, key), checkpoint.conversationId, bytes);
    return true;
  }

  getNote(owner: string, key: string): string | undefined {
    const note = record.decodeNote(this.#tables.notes.get(namedKey(this.#ownerTag(owner), key)));
    return note !== undefined && note.putMs >= this.#now() - this.#maxAgeMs ? note.value : undefined;
  }

  putNote(owner: string, key: string, value: string): boolean {
    const putMs = this.#now();
    const bytes = record.encodeNote({ putMs, value });
    if (bytes.length > MAX_NOTE_BYTES) return this.#refuse("A note is over 8 MiB");
    if (!this.#sweeper.hasRoom(costOf(bytes.length))) return this.#refuse("There is no room for a note");
    const row = namedKey(this.#ownerTag(owner), key);
    this.#removeNote(row);
    this.#tables.notes.put(row, bytes);
    this.#tables.noteMarks.put(row, record.encodeFreshness({ putMs, bytes: bytes.length }));
    this.#ledger.add({ bytes: costOf(bytes.length) });
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

  knownStats(): StoreStats | undefined {
    const { known } = this.#ledger;
    return known && { ...known };
  }

  sweep(nowMs: number): Swept {
    return this.#sweeper.sweep(nowMs);
  }

  close(): Promise<void> {
    this.#sweeper.close();
    return this.#tables.close();
  }

  /** Blobs of a checkpoint that is not kept must not fill a store that has no room. */
  #letGoOf(owner: Buffer, state: Uint8Array): void {
    const seen = new Set<string>();
    const steps = followIds(state, (id) => {
      if (seen.has(id)) return undefined;
      seen.add(id);
      const key = blobKey(owner, Buffer.from(id, "latin1"));
      const row = this.#tables.fresh.get(key);
      if (row === undefined) return undefined; // another checkpoint reaches it, or it does not exist
      this.#tables.fresh.put(key, record.encodeFreshness({ putMs: 0, bytes: record.decodeFreshness(row)?.bytes ?? 0 }));
      this.#refused.add(key); // a checkpoint that names it has to put it again
      return this.#tables.blobs.get(key);
    });
    for (const _ of steps);
    this.#sweeper.noteChange();
  }

  #removeNote(row: Buffer): void {
    const note = this.#tables.notes.get(row);
    if (note === undefined) return;
    this.#tables.notes.remove(row);
    this.#tables.noteMarks.remove(row);
    this.#ledger.add({ bytes: -costOf(note.length) });
  }

  /** A blob that is put again is kept for another hour, even if its conversation is dropped. */
  #keepFresh(blob: Buffer, bytes: number): void {
    const putMs = record.decodeFreshness(this.#tables.fresh.get(blob))?.putMs ?? 0;
    const now = this.#now();
    if (putMs > now - REFRESH_FRESH_MS) return;
    this.#tables.fresh.put(blob, record.encodeFreshness({ putMs: now, bytes }));
    this.#sweeper.noteChange();
  }

  #refuse(what: string): false {
    this.#onProblem(new Error(`${what}: it was not stored.`));
    return false;
  }

  #ownerTag(owner: string): Buffer {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const tag = ownerTag(owner);
    this.#owners.set(owner, tag);
    return tag;
  }
}
