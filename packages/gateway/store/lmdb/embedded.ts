import type { RootDatabase } from "lmdb";
import { reasonOf } from "../../turn/reason-of.js";
import { LineageStore, type Store, type StoreOptions } from "../lineage-store.js";
import { createMemoryStore } from "../memory.js";
import type { Tables } from "../tables.js";
import { LmdbFolder } from "./lmdb-folder.js";
import { LmdbTables } from "./lmdb-tables.js";

const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;

interface EmbeddedStoreOptions extends StoreOptions {
  readonly folder: string;
}

export interface OpenedStore {
  readonly store: Store;
  /** Sentences for users: what was wrong, and what was done about it. */
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
  const { folder: path, maxBytes = DEFAULT_MAX_BYTES, now, onProblem = () => {} } = options;
  const { open } = await import("lmdb");
  const folder = new LmdbFolder(path);
  const warnings: string[] = [];
  const moveAside = (why: string) => {
    const aside = folder.moveAside(now());
    warnings.push(`The stored conversation state ${why}: it was moved to ${aside}, and conversations start afresh.`);
  };
  const openTables = async (): Promise<Tables> => {
    const root = open<Uint8Array, Uint8Array>({ ...settings, ...mapping(maxBytes), path });
    try {
      checkFormat(root);
      return new LmdbTables({ root, onProblem, onClosed: () => folder.seal(), onDamage: () => folder.condemn() });
    } catch (thrown) {
      await root.close();
      throw thrown;
    }
  };
  if (await folder.isDamaged()) moveAside("is damaged");
  const tables = await openTables().catch((thrown: unknown) => {
    if (!isNotOurs(thrown)) throw thrown;
    moveAside("cannot be read by this version");
    return openTables();
  });
  return { store: new LineageStore({ ...options, maxBytes, tables }), warnings };
}

const settings = {
  encoding: "binary",
  keyEncoding: "binary",
  maxDbs: 2,
  permissionsMode: 0o600, // LMDB's types do not declare this option, but its native code reads it
  overlappingSync: false, // a commit resolves only when it is on disk
  eventTurnBatching: false, // we make the batches: LMDB's own leave a rejection unhandled when a commit fails
} as const;

/** The map is this much larger than the limit, because pages are not full and sweeps lag a little. A larger file is mapped in parts. */
const MAP_FACTOR = 2.5;
const MAX_MAPPED_BYTES = 16 * 1024 * 1024 * 1024;

/**
 * Where address space is free, the map is large enough for the whole file from the start. Whenever the file outgrows its map,
 * LMDB makes a larger map and keeps the old one, and every page counts in both. On Windows the file itself would become as large
 * as the map.
 */
function mapping(maxBytes: number): { mapSize?: number } {
  if (process.platform === "win32" || process.arch === "arm") return {};
  return { mapSize: Math.ceil(Math.min(MAP_FACTOR * maxBytes, MAX_MAPPED_BYTES) / 65_536) * 65_536 };
}

const formatKey = Buffer.from("format");
/** The version of the rows, not of LMDB's file. */
const format = Buffer.from("2");

function checkFormat(root: RootDatabase<Uint8Array, Uint8Array>): void {
  const found = root.get(formatKey);
  if (found === undefined) root.putSync(formatKey, format);
  else if (!format.equals(found)) throw new Error(FOREIGN_FORMAT);
}

const FOREIGN_FORMAT = "The rows have the format of another version.";

/** Whether the file is damaged or foreign. A lack of space or permission does not count: it can pass. */
function isNotOurs(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return (
    thrown.message === FOREIGN_FORMAT ||
    /MDB_(INVALID|VERSION_MISMATCH|CORRUPTED|PAGE_NOTFOUND|INCOMPATIBLE)/.test(thrown.message)
  );
}
