import type { CallBlock } from "../turn/blocks.js";

/** A point in a conversation from which Cursor can resume. */
export interface Checkpoint {
  /** As received, byte for byte. */
  readonly state: Uint8Array;
  readonly conversationId: string;
  /** "staged": the model waits for the results of `calls`; "settled": a user message may follow. */
  readonly phase: "staged" | "settled";
  /** Client calls that are open (staged) or were made in this turn, so that a repeated call is recognised. */
  readonly calls: readonly (Omit<CallBlock, "type"> & { upstreamId: string })[];
  /** Free JSON of the owner, e.g. usage already reported. Bounded: 64 KiB. */
  readonly memo: string;
}

/**
 * Conversation state that outlives a run. Everything is namespaced by `owner` (account + gateway key, already hashed):
 * one owner never sees another's state. Reads are synchronous and see every accepted write at once; unreadable rows are misses.
 * Nothing here throws for lack of space: a write that cannot be kept is dropped whole and reported to `onProblem`.
 */
export interface Store {
  getBlob(owner: string, id: Uint8Array): Uint8Array | undefined;
  /**
   * Returns whether the blob is kept. Blobs must be put before the checkpoint that names them. A blob whose id is not its hash is
   * refused. A caller that has just hashed it sets `isHashed`, because hashing a large blob takes a while.
   */
  putBlob(owner: string, id: Uint8Array, data: Uint8Array, options?: BlobOptions): boolean;
  /** Counts as a use: what is used is dropped last. */
  getCheckpoint(owner: string, key: string): Checkpoint | undefined;
  /** Returns whether it is kept. After a kill -9 there is either the whole checkpoint with its blobs, or the one before it. */
  putCheckpoint(owner: string, key: string, checkpoint: Checkpoint): boolean;
  /** Notes have an age limit. They say that a transcript was seen with other settings, or hold a response for later requests. */
  getNote(owner: string, key: string): string | undefined;
  putNote(owner: string, key: string, value: string): boolean;
  deleteNote(owner: string, key: string): void;
  /** Resolves when everything accepted so far is on disk. @throws Error when it could not be written */
  flush(): Promise<void>;
  stats(): StoreStats;
  /** The same, if it is known without counting, which takes a while in a large store. */
  knownStats(): StoreStats | undefined;
  /**
   * Drops what is too old or above the limit. One call does a slice of the work, a few milliseconds, and the store does the rest
   * by itself, slice by slice. The store also starts a sweep by itself when it is over its limit and much was written.
   */
  sweep(nowMs: number): Swept;
  close(): Promise<void>;
}

export type TurnStore = Omit<Store, "stats" | "knownStats" | "sweep" | "close">;

export interface BlobOptions {
  /** Whether the caller has computed the id from the content or compared the two. */
  readonly isHashed?: boolean;
  /** Whether the data never changes again, so that the store need not copy it. */
  readonly isFinal?: boolean;
}

export interface StoreStats {
  readonly checkpoints: number;
  readonly blobs: number;
  /** The size of all records, with a flat sum for the rows that track each of them. */
  readonly bytes: number;
}

export interface Swept {
  readonly isDone: boolean;
}

export interface StoreOptions {
  /** The size that sweeps aim at. Writes are refused only a quarter above it. */
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
  /** The work of one slice of a sweep, in counted microseconds. */
  readonly sliceWork?: number;
  readonly now: () => number;
  /** Takes problems that do not stop the store: a failed write, a damaged record. */
  readonly onProblem?: (problem: Error) => void;
}
