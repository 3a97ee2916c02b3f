import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { LmdbTables } from "./lmdb-tables.js";
import { checkPages } from "./page-check.js";
import type { Store, StoreOptions } from "./store.js";
import { TableStore } from "./table-store.js";

const defaultMaxBytes = 512 * 1024 * 1024;
/** Of our rows, not of LMDB's file. */
const format = "1";
const formatKey = Buffer.from("format");

export interface EmbeddedStoreOptions extends StoreOptions {
  /** Created when missing, readable by its owner alone. */
  readonly folder: string;
}

export interface OpenedStore {
  readonly store: Store;
  /** For people: what was found wrong, and what was done about it. */
  readonly warnings: readonly string[];
}

/**
 * A store on disk, which several processes may use at once. A database that is damaged or of another version is moved aside.
 * Rejects where there can be none at all: no permission, no room, no build of LMDB for this machine.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OpenedStore> {
  const { folder, maxBytes = defaultMaxBytes, now, onProblem = () => {} } = options;
  const { open } = await import("lmdb");
  const place = new Place(folder);
  const warnings: string[] = [];
  if (place.isDamaged()) warnings.push(place.moveAside(now(), "is damaged"));
  const settings = {
    path: folder,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: 12,
    permissionsMode: 0o600, // not among the declared options, but read by the native part
    overlappingSync: false, // a commit is done when it is on disk
    eventTurnBatching: false, // batches are ours; its own leave a rejection unhandled when a commit fails
  } as const;
  const openRoot = () => open<Uint8Array, Uint8Array>(settings);
  let root: RootDatabase<Uint8Array, Uint8Array>;
  try {
    root = openRoot();
  } catch (thrown) {
    if (!isNotOurs(thrown)) throw thrown;
    warnings.push(place.moveAside(now(), "cannot be read by this version"));
    root = openRoot();
  }
  const found = root.get(formatKey);
  if (found !== undefined && Buffer.from(found).toString() !== format) {
    await root.close();
    warnings.push(place.moveAside(now(), "was written by another version"));
    root = openRoot();
  }
  if (root.get(formatKey) === undefined) await root.put(formatKey, Buffer.from(format));
  const tables = new LmdbTables({ root, now, onProblem, onClosed: () => place.seal() });
  return { store: new TableStore({ ...options, maxBytes, tables }), warnings };
}

function isNotOurs(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    /MDB_(INVALID|VERSION_MISMATCH|CORRUPTED|PAGE_NOTFOUND|INCOMPATIBLE)/.test(thrown.message)
  );
}

/** The folder with LMDB's two files, and a note on how the data file was left. */
class Place {
  readonly #folder: string;
  readonly #data: string;
  readonly #seal: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    this.#folder = folder;
    this.#data = join(folder, "data.mdb");
    this.#seal = join(folder, "closed");
  }

  /** A file that is as it was when last closed needs no look: that takes up to a second where it is large. */
  isDamaged(): boolean {
    if (!existsSync(this.#data)) return false;
    const isAsLeft = existsSync(this.#seal) && readFileSync(this.#seal, "utf8") === this.#fingerprint();
    return !isAsLeft && checkPages(this.#data) === "damaged";
  }

  seal(): void {
    writeFileSync(this.#seal, this.#fingerprint(), { mode: 0o600 });
  }

  /** One such file is kept, for those who want to look into it. */
  moveAside(nowMs: number, why: string): string {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith("aside-")) rmSync(join(this.#folder, name));
    }
    const aside = join(this.#folder, `aside-${nowMs}.mdb`);
    renameSync(this.#data, aside);
    rmSync(join(this.#folder, "lock.mdb"), { force: true });
    return `The stored conversation state ${why}: it was moved to ${aside}, and conversations start afresh.`;
  }

  #fingerprint(): string {
    const { size, mtimeMs } = statSync(this.#data);
    return `${size} ${mtimeMs}\n`;
  }
}
