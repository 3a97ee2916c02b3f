import { copyOf } from "./bytes.js";
import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";
import { MemoryTable, makeTables, type Tables } from "./tables.js";

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** A store that ends with the process. It has the rules of the store on disk, and is the fallback when that cannot be opened. */
export function createMemoryStore({ maxBytes = DEFAULT_MAX_BYTES, ...options }: StoreOptions): Store {
  return new TableStore({ ...options, maxBytes, tables: memoryTables() });
}

/** Copies what it keeps, which may be a small part of a large buffer. */
class OwnTable extends MemoryTable<Uint8Array> {
  override put(key: Buffer, value: Uint8Array): void {
    super.put(key, copyOf(value));
  }
}

export function memoryTables(): Tables {
  return {
    ...makeTables((_, group) => new OwnTable(group)),
    isFull: () => false,
    isBehind: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
