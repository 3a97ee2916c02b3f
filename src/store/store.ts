/** One place in one conversation from which Cursor can go on. */
export interface Checkpoint {
  /** As received, byte for byte. */
  readonly state: Uint8Array;
  readonly conversationId: string;
  /** "staged": the model waits for the results of `calls`; "settled": a user message may follow. */
  readonly phase: "staged" | "settled";
  /** Client calls that are open (staged) or were made in this turn, so that a call asked again is recognised. */
  readonly calls: readonly StoredCall[];
  /** Free JSON of the owner, e.g. usage already reported. Bounded: 64 KiB. */
  readonly memo: string;
}

interface StoredCall {
  readonly id: string;
  readonly upstreamId: string;
  readonly name: string;
  readonly input: string;
}

/**
 * Conversation state that outlives a run. Everything is namespaced by `owner` (account + gateway key, already hashed):
 * one owner never sees another's. Reads are synchronous and see every accepted write at once; what cannot be read is a miss.
 * Nothing here throws for lack of space: a write that cannot be kept is dropped whole and reported to `onProblem`.
 */
export interface Store {
  getBlob(owner: string, id: Uint8Array): Uint8Array | undefined;
  /**
   * Returns whether it is kept. Blobs come before the checkpoint that names them. One that is not what its id says is refused; who
   * has just hashed it says so, since that takes a while for a large one.
   */
  putBlob(owner: string, id: Uint8Array, data: Uint8Array, options?: BlobOptions): boolean;
  getCheckpoint(owner: string, key: string): Checkpoint | undefined;
  /**
   * Returns whether it is kept. Atomic with respect to crashes: after a kill -9 either the whole checkpoint with all its blobs is
   * there, or the one before it.
   */
  putCheckpoint(owner: string, key: string, checkpoint: Checkpoint): boolean;
  /** Notes with an age limit: that a transcript was seen with other settings, or a response that a client may ask for. */
  getNote(owner: string, key: string): string | undefined;
  /** Returns whether it is kept. */
  putNote(owner: string, key: string, value: string): boolean;
  deleteNote(owner: string, key: string): void;
  /** Everything accepted so far is on disk; rejects when it could not be written. */
  flush(): Promise<void>;
  stats(): StoreStats;
  /**
   * Drops what is too old or too much. One call does a slice of the work, a few milliseconds, and the store does the rest by
   * itself, slice by slice. It also begins by itself when much was written and it holds too much.
   */
  sweep(nowMs: number): Swept;
  close(): Promise<void>;
}

/** What turns need of it. */
export type TurnStore = Omit<Store, "stats" | "sweep" | "close">;

export interface BlobOptions {
  /** Whether the id was made from the data, or compared with it, by the caller. */
  readonly isHashed?: boolean;
}

export interface StoreStats {
  readonly checkpoints: number;
  readonly blobs: number;
  /** Of all records, with a flat sum for the rows that keep track of each. */
  readonly bytes: number;
}

/** Whether that was the last slice of a sweep. */
export interface Swept {
  readonly isDone: boolean;
}

export interface StoreOptions {
  /** Aimed at by sweeps; writes are refused only a quarter above it. */
  readonly maxBytes?: number;
  /** Since a checkpoint was last used. */
  readonly maxAgeMs?: number;
  /** Of one slice of a sweep, in microseconds as counted. */
  readonly sliceWork?: number;
  readonly now: () => number;
  /** What went wrong without stopping the store: a write that failed, a record that was damaged. */
  readonly onProblem?: (problem: Error) => void;
}
