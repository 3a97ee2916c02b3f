import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { makeFolder } from "../../system/make-folder.js";
import { reasonOf } from "../../turn/reason-of.js";
import { LineageStore, type Store, type StoreOptions } from "../lineage-store.js";
import { createMemoryStore } from "../memory.js";
import type { Tables } from "../tables.js";
import { LmdbTables } from "./lmdb-tables.js";
import { checkPages } from "./page-check.js";

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

const CONDEMNED = "damaged";

/** The folder with LMDB's two files, and a note on the state in which the data file was closed. */
class LmdbFolder {
  readonly #folder: string;
  readonly #data: string;
  readonly #note: string;

  /** Makes the folder if it is missing, readable by its owner alone. @throws Error of the file system when it cannot be made */
  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, "data.mdb");
    this.#note = join(folder, "left");
    makeFolder(folder);
    chmodSync(folder, 0o700);
  }

  /** A file that has not changed since it was closed is not checked, because the check of a large file takes seconds. */
  async isDamaged(): Promise<boolean> {
    if (!existsSync(this.#data)) return false;
    const note = this.#readNote();
    return note === CONDEMNED || (note !== this.#fingerprint() && (await checkPages(this.#data)) === "damaged");
  }

  seal(): void {
    if (this.#readNote() !== CONDEMNED) this.#writeNote(() => this.#fingerprint());
  }

  /** Marks the file as damaged: this process continues with what it can read, the next one starts afresh. */
  condemn(): void {
    this.#writeNote(() => CONDEMNED);
  }

  /** Moves the data file away, and returns where to. Only the newest such file is kept, for inspection. */
  moveAside(nowMs: number): string {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith("aside-")) rmSync(join(this.#folder, name));
    }
    const aside = join(this.#folder, `aside-${nowMs}.mdb`);
    renameSync(this.#data, aside);
    for (const name of [this.#note, join(this.#folder, "lock.mdb")]) rmSync(name, { force: true });
    return aside;
  }

  /** Never fails when the folder is gone or the disk is full: without a note the next start checks the file. */
  #writeNote(note: () => string): void {
    try {
      writeFileSync(this.#note, note(), { mode: 0o600 });
    } catch {
      rmSync(this.#note, { force: true });
    }
  }

  #readNote(): string | undefined {
    return existsSync(this.#note) ? readFileSync(this.#note, "utf8") : undefined;
  }

  #fingerprint(): string {
    const { size, mtimeMs } = statSync(this.#data);
    return `${size} ${mtimeMs}`;
  }
}
