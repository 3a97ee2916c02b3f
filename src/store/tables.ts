import { conversationBytes, idBytes, ownerBytes } from "./key.js";

/** Rows by binary key. What is put is seen by every later read, whether or not it is on disk yet. */
export interface Table {
  get(key: Buffer): Uint8Array | undefined;
  /** Whether there is such a row, without a copy of it. */
  has(key: Buffer): boolean;
  /** The value belongs to the table from now on. */
  put(key: Buffer, value: Uint8Array): void;
  remove(key: Buffer): void;
  /**
   * All rows (empty prefix), or those of one group: see `makeTables`. The table may be changed meanwhile, and events may pass: a
   * row comes as it is by then, and only rows that are put after the beginning may be missing.
   */
  rows(prefix: Buffer): Iterable<Row<Uint8Array>>;
  /** How many rows there are, unless that cannot be told right now. */
  count(): number | undefined;
}

export interface Row<Value> {
  readonly key: Buffer;
  readonly value: Value;
}

/**
 * What a store is made of. `owner`, `conversation`, `key` and `id` are fixed-size tags, see key.ts.
 * Tables are changed together: after a crash all changes up to some moment are there, and none after it.
 */
export interface Tables {
  /** owner + key -> checkpoint record */
  readonly checkpoints: Table;
  /** owner + key -> mark: what a sweep must know of a checkpoint, small because it is rewritten when the checkpoint is used */
  readonly marks: Table;
  /** owner + id -> blob, as it is */
  readonly blobs: Table;
  /** owner + id -> when the blob was last put; for blobs put lately, which are kept although nothing may reach them yet */
  readonly fresh: Table;
  /** owner + conversation + id -> size; by conversation, which blobs its checkpoints reach */
  readonly reach: Table;
  /** owner + id + conversation -> size; the same rows by blob */
  readonly holders: Table;
  /** owner + conversation -> something new with each checkpoint that is put, by which a sweep sees that others were at it */
  readonly threads: Table;
  /** owner + conversation: lost a checkpoint since its reach was last worked out */
  readonly loose: Table;
  /** owner + key -> note record */
  readonly notes: Table;
  /** owner + key -> when the note was put and its size: what a sweep must know of it, as notes themselves may be large */
  readonly noteMarks: Table;
  /** One row: how much there is in all, see totals.ts */
  readonly totals: Table;
  /** Too much is waiting to be written. */
  isFull(): boolean;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type TableName = Exclude<keyof Tables, "isFull" | "flush" | "close">;

/** `group` is the length of the keys' beginning by which `rows` is asked; 0 where only all rows are ever asked for. */
export function makeTables<Made extends Table>(
  make: (name: TableName, group: number) => Made,
): Record<TableName, Made> {
  return {
    checkpoints: make("checkpoints", 0),
    marks: make("marks", 0),
    blobs: make("blobs", 0),
    fresh: make("fresh", 0),
    reach: make("reach", ownerBytes + conversationBytes),
    holders: make("holders", ownerBytes + idBytes),
    threads: make("threads", 0),
    loose: make("loose", 0),
    notes: make("notes", 0),
    noteMarks: make("noteMarks", 0),
    totals: make("totals", 0),
  };
}

/** A table in memory, grouped by the beginning of its keys so that one group is found without a look at the others. */
export class MemoryTable<Value> {
  readonly #groupBytes: number;
  readonly #groups = new Map<string, Map<string, Value>>();
  #size = 0;

  constructor(groupBytes: number) {
    this.#groupBytes = groupBytes;
  }

  count(): number {
    return this.#size;
  }

  get(key: Buffer): Value | undefined {
    return this.#groups.get(this.#groupOf(key))?.get(key.toString("latin1"));
  }

  has(key: Buffer): boolean {
    return this.#groups.get(this.#groupOf(key))?.has(key.toString("latin1")) === true;
  }

  put(key: Buffer, value: Value): void {
    const name = this.#groupOf(key);
    const group = this.#groups.get(name) ?? new Map<string, Value>();
    this.#groups.set(name, group);
    this.#size -= group.size;
    group.set(key.toString("latin1"), value);
    this.#size += group.size;
  }

  remove(key: Buffer): void {
    const name = this.#groupOf(key);
    const group = this.#groups.get(name);
    if (group?.delete(key.toString("latin1")) !== true) return;
    this.#size--;
    if (group.size === 0) this.#groups.delete(name);
  }

  /** The rows of one group, or all of them for an empty prefix. */
  *rows(prefix: Buffer): IterableIterator<Row<Value>> {
    const groups = prefix.length === 0 ? this.#groups.values() : [this.#groups.get(prefix.toString("latin1"))];
    for (const group of groups) {
      for (const [key, value] of group ?? []) yield { key: Buffer.from(key, "latin1"), value };
    }
  }

  #groupOf(key: Buffer): string {
    return key.toString("latin1", 0, this.#groupBytes);
  }
}
