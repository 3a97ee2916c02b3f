import { Shelf } from "./shelf.js";
import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";
import { groupBytes, type Row, type Table, type TableName, type Tables } from "./tables.js";

const defaultMaxBytes = 64 * 1024 * 1024;

/** Forgets everything with the process; keeps the same rules as the store on disk, and stands in where that cannot be opened. */
export function createMemoryStore({ maxBytes = defaultMaxBytes, ...options }: StoreOptions): Store {
  return new TableStore({ ...options, maxBytes, tables: memoryTables() });
}

export function memoryTables(): Tables {
  const table = (name: TableName) => new MemoryTable(groupBytes[name]);
  return {
    checkpoints: table("checkpoints"),
    marks: table("marks"),
    blobs: table("blobs"),
    fresh: table("fresh"),
    reach: table("reach"),
    holders: table("holders"),
    threads: table("threads"),
    loose: table("loose"),
    notes: table("notes"),
    noteMarks: table("noteMarks"),
    totals: table("totals"),
    isFull: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

class MemoryTable implements Table {
  readonly #shelf: Shelf<Uint8Array>;

  constructor(group: number) {
    this.#shelf = new Shelf(group);
  }

  get(key: Buffer): Uint8Array | undefined {
    return this.#shelf.get(key);
  }

  has(key: Buffer): boolean {
    return this.#shelf.get(key) !== undefined;
  }

  put(key: Buffer, value: Uint8Array): void {
    this.#shelf.set(key, value);
  }

  remove(key: Buffer): void {
    this.#shelf.delete(key);
  }

  rows(prefix: Buffer): Iterable<Row<Uint8Array>> {
    return this.#shelf.rows(prefix);
  }

  count(): number {
    return this.#shelf.size;
  }
}
