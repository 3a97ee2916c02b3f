import { GROUP_BYTES } from "./key.js";

/** Rows by binary key. Every later read sees what was put, whether or not it is on disk yet. */
export interface Table {
  get(key: Buffer): Uint8Array | undefined;
  /** Callers must not change the value afterwards. */
  put(key: Buffer, value: Uint8Array): void;
  remove(key: Buffer): void;
  /**
   * All keys (empty prefix), or those of one group: see `groupBytes`. The table may change between two steps: a key may be returned
   * whose row is gone, and later ones may be missing.
   */
  keys(prefix: Buffer): Iterable<Buffer>;
}

/** The tables of a store, with keys of fixed-size parts (key.ts). They are committed together, and consistent after a crash. */
export interface Tables {
  /** owner + lineage + what a sweep needs to know about the row -> record */
  readonly rows: Table;
  /** owner + hash of a name -> key of the row that it leads to */
  readonly names: Table;
  /** Whether too much is waiting to be written. */
  isFull(): boolean;
  /** Back-pressure: whether the disk lags behind the changes, so that work which can wait should wait. */
  isBehind(): boolean;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The length of the prefix by which the keys of a table are read; 0 if they are only read all together. */
export const groupBytes = { rows: GROUP_BYTES, names: 0 };

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

  get size(): number {
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

  /** The names of one group, or all of them for an empty prefix. */
  *names(prefix: Buffer): IterableIterator<string> {
    const groups = prefix.length === 0 ? this.#groups.values() : [this.#groups.get(nameOf(prefix))];
    for (const group of groups) yield* group?.keys() ?? [];
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

export function keyOf(name: string): Buffer {
  return Buffer.from(name, "latin1");
}
