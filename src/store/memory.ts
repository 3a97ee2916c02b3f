import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";
import { MemoryTable, makeTables, type Tables } from "./tables.js";

const defaultMaxBytes = 64 * 1024 * 1024;

/** Forgets everything with the process; keeps the same rules as the store on disk, and stands in where that cannot be opened. */
export function createMemoryStore({ maxBytes = defaultMaxBytes, ...options }: StoreOptions): Store {
  return new TableStore({ ...options, maxBytes, tables: memoryTables() });
}

export function memoryTables(): Tables {
  return {
    ...makeTables((_, group) => new MemoryTable<Uint8Array>(group)),
    isFull: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
