import type { RootDatabase } from "lmdb";
import { createMemoryStore } from "../memory.js";
import type { Store, StoreOptions } from "../store.js";
import { TableStore } from "../table-store.js";
import type { Tables } from "../tables.js";
import { openLmdbTables } from "./lmdb-tables.js";
import { StoreFolder } from "./store-folder.js";

const defaultMaxBytes = 512 * 1024 * 1024;
/** Of our rows, not of LMDB's file. */
const format = Buffer.from("1");
const formatKey = Buffer.from("format");

interface EmbeddedStoreOptions extends StoreOptions {
  /** Created when missing, readable by its owner alone. */
  readonly folder: string;
}

export interface OpenedStore {
  readonly store: Store;
  /** For people: what was found wrong, and what was done about it. */
  readonly warnings: readonly string[];
}

/** On disk where that is possible, else in memory: the gateway works either way, conversations just end with the process. */
export async function openStore(options: EmbeddedStoreOptions): Promise<OpenedStore> {
  try {
    return await openEmbeddedStore(options);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const { folder, maxBytes, ...rest } = options;
    return {
      store: createMemoryStore(rest),
      warnings: [`Conversation state is kept in memory only: ${folder} cannot be used (${reason}).`],
    };
  }
}

/**
 * A store on disk, which several processes may use at once. A database that is damaged or of another version is moved aside.
 * Rejects where there can be none at all: no permission, no room, no build of LMDB for this machine.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OpenedStore> {
  const { folder, maxBytes = defaultMaxBytes, now, onProblem = () => {} } = options;
  const { open } = await import("lmdb");
  const place = new StoreFolder(folder);
  const warnings: string[] = [];
  const openTables = async (): Promise<Tables> => {
    const root = open<Uint8Array, Uint8Array>({ ...settings, ...mapping(maxBytes), path: folder });
    try {
      checkFormat(root);
      return openLmdbTables({ root, onProblem, onClosed: () => place.seal(), onDamage: () => place.condemn() });
    } catch (thrown) {
      await root.close();
      throw thrown;
    }
  };
  if (place.isDamaged()) warnings.push(place.moveAside(now(), "is damaged"));
  const tables = await openTables().catch((thrown: unknown) => {
    if (!isNotOurs(thrown)) throw thrown;
    warnings.push(place.moveAside(now(), "cannot be read by this version"));
    return openTables();
  });
  return { store: new TableStore({ ...options, maxBytes, tables }), warnings };
}

const settings = {
  encoding: "binary",
  keyEncoding: "binary",
  maxDbs: 12,
  permissionsMode: 0o600, // not among the declared options, but read by the native part
  overlappingSync: false, // a commit is done when it is on disk
  eventTurnBatching: false, // batches are ours; its own leave a rejection unhandled when a commit fails
} as const;

/** Pages are not full and sweeps lag a little, so the file grows beyond the limit. A larger file is still mapped, in parts. */
const mappedTimes = 2.5;
const maxMappedBytes = 16 * 1024 * 1024 * 1024;

/**
 * Where address space costs nothing, enough for the whole file from the start: whenever the file outgrows its map LMDB makes a
 * larger one and keeps the old, and every page counts in each. On Windows the file itself would be made as large.
 */
function mapping(maxBytes: number): { mapSize?: number } {
  if (process.platform === "win32" || process.arch === "arm") return {};
  return { mapSize: Math.ceil(Math.min(mappedTimes * maxBytes, maxMappedBytes) / 65_536) * 65_536 };
}

function checkFormat(root: RootDatabase<Uint8Array, Uint8Array>): void {
  const found = root.get(formatKey);
  if (found === undefined) root.putSync(formatKey, format);
  else if (!format.equals(found)) throw new Error(foreignFormat);
}

const foreignFormat = "The rows are in a format of another version.";

/** Not what can pass, like a lack of room or of permission. */
function isNotOurs(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return (
    thrown.message === foreignFormat ||
    /MDB_(INVALID|VERSION_MISMATCH|CORRUPTED|PAGE_NOTFOUND|INCOMPATIBLE)/.test(thrown.message)
  );
}
