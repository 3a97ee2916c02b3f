import { Shelf } from "./shelf.js";
import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";
import { makeTables, type Row, type Table, type Tables } from "./tables.js";

const defaultMaxBytes = 64 * 1024 * 1024;

/** Forgets everything with the process; keeps the same rules as the store on disk, and stands in where that cannot be opened. */
export function createMemoryStore({ maxBytes = defaultMaxBytes, ...options }: StoreOptions): Store {
  return new TableStore({ ...options, maxBytes, tables: memoryTables() });
}

export function memoryTables(): Tables {
  return {
    ...makeTables((_, group) => new MemoryTable(group)),
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
