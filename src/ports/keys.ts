/** The sender of a request, identified by its key. */
export interface Caller {
  /** Identifies the key without revealing it; empty if none is required. State stored for one caller is never found by another. */
  readonly id: string;
  /** The name of the key; undefined for the single key and without a key. */
  readonly name: string | undefined;
}

/** What the guards ask of the keys. */
export interface Keys {
  /** The caller of requests without a key; undefined if a key is required. */
  readonly anybody: Caller | undefined;
  /** The holder of a key. Takes the same time for every key. */
  find(shown: string): Caller | undefined;
}
