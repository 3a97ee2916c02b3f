import { CONVERSATION_BYTES, ID_BYTES, OWNER_BYTES } from "./key.js";

/** Rows by binary key. Every later read sees what was put, whether or not it is on disk yet. */
export interface Table {
  get(key: Buffer): Uint8Array | undefined;
  /** Whether there is such a row, without copying it. */
  has(key: Buffer): boolean;
  /** Callers must not change the value afterwards. */
  put(key: Buffer, value: Uint8Array): void;
  remove(key: Buffer): void;
  /**
   * All rows (empty prefix), or those of one group: see `makeTables`. The table may change between two steps: each row is given as it
   * is at that moment, and only later ones may be missing. A row that is gone gives undefined, so that callers can pause there.
   */
  rows(prefix: Buffer): Iterable<Row<Uint8Array> | undefined>;
  /** How many rows there are; undefined when that is not known right now. */
  count(): number | undefined;
}

export interface Row<Value> {
  readonly key: Buffer;
  readonly value: Value;
}

/** The tables of a store, with fixed-size tags (key.ts) as keys. They are committed together, and consistent after a crash. */
export interface Tables {
  /** owner + key -> checkpoint record */
  readonly checkpoints: Table;
  /** owner + key -> mark: what a sweep needs of a checkpoint, small because it is rewritten whenever the checkpoint is used */
  readonly marks: Table;
  /** owner + id -> blob, as it is */
  readonly blobs: Table;
  /** owner + id -> when the blob was last put; blobs that were put lately are kept although no checkpoint may reach them yet */
  readonly fresh: Table;
  /** owner + conversation + id -> size; the blobs that the checkpoints of a conversation reach */
  readonly reach: Table;
  /** owner + id + conversation -> size; the same rows by blob */
  readonly holders: Table;
  /** owner + conversation -> a value that changes with each checkpoint, by which a sweep sees the writes of other processes */
  readonly threads: Table;
  /** owner + conversation -> present; conversations that lost a checkpoint since their blobs were last settled */
  readonly loose: Table;
  /** owner + key -> note record */
  readonly notes: Table;
  /** owner + key -> when the note was put, and its size; a sweep reads these because notes may be large */
  readonly noteMarks: Table;
  /** One row with the totals, see totals.ts */
  readonly totals: Table;
  /** Whether too much is waiting to be written. */
  isFull(): boolean;
  /** Whether the disk is slower than what is changed, so that work which can wait should wait. */
  isBehind(): boolean;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type TableName = Exclude<keyof Tables, "isFull" | "isBehind" | "flush" | "close">;

/** `group` is the length of the prefixes that `rows` is called with; 0 when it is only called for all rows. */
export function makeTables<Made extends Table>(
  make: (name: TableName, group: number) => Made,
): Record<TableName, Made> {
  return {
    checkpoints: make("checkpoints", 0),
    marks: make("marks", 0),
    blobs: make("blobs", 0),
    fresh: make("fresh", 0),
    reach: make("reach", OWNER_BYTES + CONVERSATION_BYTES),
    holders: make("holders", OWNER_BYTES + ID_BYTES),
    threads: make("threads", 0),
    loose: make("loose", 0),
    notes: make("notes", 0),
    noteMarks: make("noteMarks", 0),
    totals: make("totals", 0),
  };
}

/** Rows in memory by the names of their keys, grouped by prefix so that one group is found without reading the others. */
export class MemoryRows<Value extends NonNullable<unknown>> {
  readonly #groupBytes: number;
  readonly #groups = new Map<string, Map<string, Value>>();
  /** The only group of a table that is not read by group. */
  readonly #whole = new Map<string, Value>();
  #size = 0;

  constructor(groupBytes: number) {
    this.#groupBytes = groupBytes;
    if (groupBytes === 0) this.#groups.set("", this.#whole);
  }

  count(): number {
    return this.#size;
  }

  get(name: string): Value | undefined {
    return this.#group(name)?.get(name);
  }

  put(name: string, value: Value): void {
    const group = this.#group(name) ?? this.#openGroup(name);
    const before = group.size;
    group.set(name, value);
    this.#size += group.size - before;
  }

  remove(name: string): void {
    const group = this.#group(name);
    if (group?.delete(name) !== true) return;
    this.#size--;
    if (group.size === 0 && group !== this.#whole) this.#groups.delete(this.#prefixOf(name));
  }

  /** The rows of one group, or all of them for an empty prefix. */
  *rows(prefix: Buffer): IterableIterator<Row<Value>> {
    const groups = prefix.length === 0 ? this.#groups.values() : [this.#groups.get(nameOf(prefix))];
    for (const group of groups) {
      for (const [name, value] of group ?? []) yield { key: Buffer.from(name, "latin1"), value };
    }
  }

  #group(name: string): Map<string, Value> | undefined {
    return this.#groupBytes === 0 ? this.#whole : this.#groups.get(this.#prefixOf(name));
  }

  #openGroup(name: string): Map<string, Value> {
    const group = new Map<string, Value>();
    this.#groups.set(this.#prefixOf(name), group);
    return group;
  }

  #prefixOf(name: string): string {
    return name.slice(0, this.#groupBytes);
  }
}

/** A key as a string with one character per byte, because maps cannot compare buffers. */
export function nameOf(key: Buffer): string {
  return key.toString("latin1");
}
