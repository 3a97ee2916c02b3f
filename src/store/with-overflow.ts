import { copyOf, isHashOf } from "./key.js";
import type { BlobOptions, Checkpoint, TurnStore } from "./store.js";

/**
 * How much is held in memory of what the store refused lately, for all owners and runs together. The largest request names about
 * 64 MiB (a body of 32 MiB, whose text is in two kinds of blobs), so there is room for the two largest runs, or for 256 waiting
 * ones with half a MiB each. Anything beyond that makes replies cold, but no turn fails: a run that has not paused yet makes its
 * blobs again from its messages, and a paused one starts again from the transcript.
 */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
/** The time for which a store keeps blobs that no checkpoint names. */
const MAX_HELD_MS = 60 * 60 * 1000;

/** A store that also holds, for a while, the blobs and notes that it could not keep because it or its disk is full. */
export class OverflowStore implements TurnStore {
  readonly #store: TurnStore;
  readonly #now: () => number;
  readonly #maxHeldBytes: number;
  /** Oldest first. */
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;

  constructor(store: TurnStore, now: () => number, maxBytes = MAX_HELD_BYTES) {
    this.#store = store;
    this.#now = now;
    this.#maxHeldBytes = maxBytes;
  }

  getBlob(owner: string, id: Uint8Array): Uint8Array | undefined {
    const kept = this.#store.getBlob(owner, id);
    return kept === undefined && this.#held.size > 0 ? this.#held.get(blobName(owner, id))?.data : kept;
  }

  putBlob(owner: string, id: Uint8Array, data: Uint8Array, options: BlobOptions = {}): boolean {
    const isKept = this.#store.putBlob(owner, id, data, options);
    if (isKept) this.#letGo(() => blobName(owner, id));
    return isKept || ((options.isHashed || isHashOf(id, data)) && this.#hold(blobName(owner, id), data));
  }

  getNote(owner: string, key: string): string | undefined {
    // The store may have an older note under the same key.
    const held = this.#held.size > 0 ? this.#held.get(noteName(owner, key)) : undefined;
    return held === undefined ? this.#store.getNote(owner, key) : Buffer.from(held.data).toString("utf8");
  }

  putNote(owner: string, key: string, value: string): boolean {
    const isKept = this.#store.putNote(owner, key, value);
    if (isKept) this.#letGo(() => noteName(owner, key));
    return isKept || this.#hold(noteName(owner, key), Buffer.from(value));
  }

  deleteNote(owner: string, key: string): void {
    this.#letGo(() => noteName(owner, key));
    this.#store.deleteNote(owner, key);
  }

  getCheckpoint(owner: string, key: string): Checkpoint | undefined {
    return this.#store.getCheckpoint(owner, key);
  }

  putCheckpoint(owner: string, key: string, checkpoint: Checkpoint): boolean {
    return this.#store.putCheckpoint(owner, key, checkpoint);
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

  #hold(name: string, data: Uint8Array): boolean {
    this.#letGo(() => name);
    if (data.length > this.#maxHeldBytes / 2) return false; // one record must not push out all others
    this.#held.set(name, { data: copyOf(data), heldMs: this.#now() });
    this.#heldBytes += data.length;
    for (const [oldest, { heldMs }] of this.#held) {
      if (this.#heldBytes <= this.#maxHeldBytes && heldMs > this.#now() - MAX_HELD_MS) break;
      this.#letGo(() => oldest);
    }
    return true;
  }

  #letGo(nameOf: () => string): void {
    if (this.#held.size === 0) return;
    const name = nameOf();
    this.#heldBytes -= this.#held.get(name)?.data.length ?? 0;
    this.#held.delete(name);
  }
}

interface Held {
  readonly data: Uint8Array;
  readonly heldMs: number;
}

function blobName(owner: string, id: Uint8Array): string {
  return `blob ${owner} ${Buffer.from(id).toString("hex")}`;
}

function noteName(owner: string, key: string): string {
  return `note ${owner} ${key}`;
}
