import { LineageStore, type Store, type StoreOptions } from "./lineage-store.js";
import { groupBytes, keyOf, MemoryRows, nameOf, type Table, type Tables } from "./tables.js";

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** A store that ends with the process. It has the rules of the store on disk, and is the fallback when that cannot be opened. */
export function createMemoryStore({ maxBytes = DEFAULT_MAX_BYTES, ...options }: StoreOptions): Store {
  return new LineageStore({ ...options, maxBytes, tables: memoryTables() });
}

function memoryTable(group: number): Table {
  const rows = new MemoryRows<Uint8Array>(group);
  return {
    get: (key) => rows.get(nameOf(key)),
    put: (key, value) => rows.put(nameOf(key), value),
    remove: (key) => rows.remove(nameOf(key)),
    *keys(prefix) {
      for (const name of rows.names(prefix)) yield keyOf(name);
    },
  };
}

export function memoryTables(): Tables {
  return {
    rows: memoryTable(groupBytes.rows),
    names: memoryTable(groupBytes.names),
    isFull: () => false,
    isBehind: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
