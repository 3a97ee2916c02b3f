import { copyOf } from "./key.js";
import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";
import { MemoryRows, makeTables, nameOf, type Row, type Table, type Tables } from "./tables.js";

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** A store that ends with the process. It has the rules of the store on disk, and is the fallback when that cannot be opened. */
export function createMemoryStore({ maxBytes = DEFAULT_MAX_BYTES, ...options }: StoreOptions): Store {
  return new TableStore({ ...options, maxBytes, tables: memoryTables() });
}

class MemoryTable implements Table {
  readonly #rows: MemoryRows<Uint8Array>;

  constructor(group: number) {
    this.#rows = new MemoryRows(group);
  }

  get(key: Buffer): Uint8Array | undefined {
    return this.#rows.get(nameOf(key));
  }

  has(key: Buffer): boolean {
    return this.#rows.get(nameOf(key)) !== undefined;
  }

  /** Copies what it keeps, which may be a small part of a large buffer. */
  put(key: Buffer, value: Uint8Array): void {
    this.#rows.put(nameOf(key), copyOf(value));
  }

  remove(key: Buffer): void {
    this.#rows.remove(nameOf(key));
  }

  rows(prefix: Buffer): Iterable<Row<Uint8Array>> {
    return this.#rows.rows(prefix);
  }

  count(): number {
    return this.#rows.count();
  }
}

export function memoryTables(): Tables {
  return {
    ...makeTables((_, group) => new MemoryTable(group)),
    isFull: () => false,
    isBehind: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
