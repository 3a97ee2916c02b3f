import { copyOf } from "./key.js";
import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";
import { MemoryRows, makeTables, nameOf, type Table, type Tables } from "./tables.js";

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** A store that ends with the process. It has the rules of the store on disk, and is the fallback when that cannot be opened. */
export function createMemoryStore({ maxBytes = DEFAULT_MAX_BYTES, ...options }: StoreOptions): Store {
  return new TableStore({ ...options, maxBytes, tables: memoryTables() });
}

function memoryTable(group: number): Table {
  const rows = new MemoryRows<Uint8Array>(group);
  return {
    get: (key) => rows.get(nameOf(key)),
    has: (key) => rows.get(nameOf(key)) !== undefined,
    // Copies what it keeps, which may be a small part of a large buffer.
    put: (key, value) => rows.put(nameOf(key), copyOf(value)),
    remove: (key) => rows.remove(nameOf(key)),
    rows: (prefix) => rows.rows(prefix),
    count: () => rows.count(),
  };
}

export function memoryTables(): Tables {
  return {
    ...makeTables((_, group) => memoryTable(group)),
    isFull: () => false,
    isBehind: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
