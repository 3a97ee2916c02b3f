import { openLmdb } from "../../lmdb/index.js";
import { reasonOf } from "../../turn/reason-of.js";
import { createMemoryStore } from "../memory.js";
import type { Store, StoreOptions } from "../store.js";
import { TableStore } from "../table-store.js";
import { openLmdbTables } from "./lmdb-tables.js";

const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;

interface EmbeddedStoreOptions extends StoreOptions {
  readonly folder: string;
}

export interface OpenedStore {
  readonly store: Store;
  /** Sentences for people that say what was wrong and what was done about it. */
  readonly warnings: readonly string[];
}

/** Opens a store on disk if possible, else in memory. The gateway works either way, but conversations in memory end with the process. */
export async function openStore(options: EmbeddedStoreOptions): Promise<OpenedStore> {
  try {
    return await openEmbeddedStore(options);
  } catch (thrown) {
    const { folder, maxBytes, ...rest } = options;
    return {
      store: createMemoryStore(rest),
      warnings: [`Conversation state is kept in memory only: ${folder} cannot be used (${reasonOf(thrown)}).`],
    };
  }
}

/**
 * Opens a store on disk, which several processes may use at once. A database that is damaged or of another version is moved aside.
 * @throws Error of the file system or of LMDB when there can be no store: no permission, no space, no build of LMDB for this machine
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OpenedStore> {
  const { folder, maxBytes = DEFAULT_MAX_BYTES, now, onProblem = () => {} } = options;
  const { opened: tables, warnings } = await openLmdb({
    folder,
    maxBytes,
    format: "1",
    nowMs: now(),
    tellMoved: (why, aside) =>
      `The stored conversation state ${why}: it was moved to ${aside}, and conversations start afresh.`,
    open: (root, lmdbFolder) =>
      openLmdbTables({
        root,
        onProblem,
        onClosed: () => lmdbFolder.seal(),
        onDamage: () => lmdbFolder.condemn(),
      }),
  });
  return { store: new TableStore({ ...options, maxBytes, tables }), warnings };
}
