/** Something that is kept under a lineage, and the names by which it is found. */
export interface Row {
  /**
   * The first is its own: a row that is put under it again replaces this one, and in the same lineage takes over its names. Under the
   * others, the newest row is found.
   */
  readonly names: readonly string[];
  readonly text: string;
  /** Returned byte for byte. */
  readonly bytes?: Uint8Array;
}

export interface FoundRow {
  readonly lineage: string;
  readonly text: string;
  readonly bytes: Uint8Array;
}

/**
 * What outlives a run. All that belongs together is put under one lineage: a conversation from its cold start on, or a single note. A
 * lineage is as old as the newest row in it, and is dropped whole. Everything is namespaced by `owner` (account + gateway key, already
 * hashed): one owner never sees another's state. Reads are synchronous and see every accepted write at once; unreadable rows are
 * misses. Nothing here throws for lack of space: a row that cannot be kept is dropped whole and reported to `onProblem`.
 */
export interface TurnStore {
  /** Content of a lineage by its SHA-256. */
  getBlob(owner: string, lineage: string, id: Uint8Array): Uint8Array | undefined;
  /**
   * Content for the next row of the lineage: after a kill there are both or neither. The caller has checked that the id is the hash of
   * the data, and does not change the data afterwards.
   */
  putBlob(owner: string, lineage: string, id: Uint8Array, data: Uint8Array): void;
  /** Whether a name leads anywhere. */
  has(owner: string, name: string): boolean;
  /** The lineage that a name leads into, after a restart as well. */
  lineageAt(owner: string, name: string): string | undefined;
  get(owner: string, name: string): FoundRow | undefined;
  /** Returns whether the row is kept. */
  put(owner: string, lineage: string, row: Row): boolean;
  /** Returns whether there was such a row. */
  remove(owner: string, name: string): boolean;
  /** Resolves when everything accepted so far is on disk. @throws Error when it could not be written */
  flush(): Promise<void>;
}

export interface Store extends TurnStore {
  /** Undefined until the first sweep has counted. */
  stats(): StoreStats | undefined;
  /**
   * Drops what is too old or above the limit. One call does a slice of the work, a few milliseconds, and the store does the rest
   * by itself, slice by slice. The store also starts a sweep by itself when it is over its limit and much was written.
   */
  sweep(nowMs: number): Swept;
  close(): Promise<void>;
}

export interface StoreStats {
  readonly lineages: number;
  readonly rows: number;
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
