import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { makeFolder } from "../make-folder.js";
import { checkPages } from "./page-check.js";

/** The folder with LMDB's two files, and a note on the state in which the data file was closed. */
class LmdbFolder {
  readonly #folder: string;
  readonly #data: string;
  readonly #note: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, "data.mdb");
    this.#note = join(folder, "left");
  }

  /** Makes the folder, readable by its owner alone. @throws Error of the file system when it cannot be made */
  make(): void {
    makeFolder(this.#folder);
    chmodSync(this.#folder, 0o700);
  }

  hasFile(): boolean {
    return existsSync(this.#data);
  }

  /** A file that has not changed since it was closed is not checked, because the check of a large file takes seconds. */
  async isDamaged(): Promise<boolean> {
    if (!this.hasFile()) return false;
    const note = this.#readNote();
    return note === CONDEMNED || (note !== this.#fingerprint() && (await checkPages(this.#data)) === "damaged");
  }

  seal(): void {
    if (this.#readNote() !== CONDEMNED) this.#writeNote(() => this.#fingerprint());
  }

  /** Marks the file as damaged: this process goes on with what can be read, the next one starts afresh. */
  condemn(): void {
    this.#writeNote(() => CONDEMNED);
  }

  /** Moves the data file away, and returns where to. Only the newest such file is kept, for people who want to look into it. */
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

const CONDEMNED = "damaged";

export type Lmdb = RootDatabase<Uint8Array, Uint8Array>;

const formatKey = Buffer.from("format");

interface OpenOptions<Opened> {
  /** The folder is created when missing, readable by its owner alone. */
  readonly folder: string;
  readonly maxBytes: number;
  /** The version of the rows, not of LMDB's file. */
  readonly format: string;
  readonly nowMs: number;
  /** A sentence for people about a file that was moved aside. */
  readonly tellMoved: (why: string, aside: string) => string;
  readonly open: (root: Lmdb, folder: LmdbFolder) => Opened;
}

/**
 * Opens an LMDB file that several processes may use at once. A file that is damaged or of another version is moved aside.
 * @throws Error of the file system or of LMDB when there can be none: no permission, no space, no build of LMDB for this machine
 */
export async function openLmdb<Opened>(
  options: OpenOptions<Opened>,
): Promise<{ opened: Opened; warnings: readonly string[] }> {
  const { open } = await import("lmdb");
  const folder = new LmdbFolder(options.folder);
  folder.make();
  const warnings: string[] = [];
  const moveAside = (why: string) => warnings.push(options.tellMoved(why, folder.moveAside(options.nowMs)));
  const openTables = async (): Promise<Opened> => {
    const root = open<Uint8Array, Uint8Array>({ ...settings, ...mapping(options.maxBytes), path: options.folder });
    try {
      checkFormat(root, Buffer.from(options.format));
      return options.open(root, folder);
    } catch (thrown) {
      await root.close();
      throw thrown;
    }
  };
  if (await folder.isDamaged()) moveAside("is damaged");
  const opened = await openTables().catch((thrown: unknown) => {
    if (!isNotOurs(thrown)) throw thrown;
    moveAside("cannot be read by this version");
    return openTables();
  });
  return { opened, warnings };
}

const settings = {
  encoding: "binary",
  keyEncoding: "binary",
  maxDbs: 12,
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

function checkFormat(root: Lmdb, format: Buffer): void {
  const found = root.get(formatKey);
  if (found === undefined) root.putSync(formatKey, format);
  else if (!format.equals(found)) throw new Error(FOREIGN_FORMAT);
}

const FOREIGN_FORMAT = "The rows have the format of another version.";

/** Whether the file is damaged or foreign. A lack of space or permission is not: it can pass. */
function isNotOurs(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return (
    thrown.message === FOREIGN_FORMAT ||
    /MDB_(INVALID|VERSION_MISMATCH|CORRUPTED|PAGE_NOTFOUND|INCOMPATIBLE)/.test(thrown.message)
  );
}

/** Why a commit failed. LMDB gives its reason as a promise that is rejected with it. */
export async function rootCause(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Error) || !("commitError" in thrown)) return thrown;
  try {
    await thrown.commitError;
    return thrown;
  } catch (cause) {
    return cause;
  }
}

/** Whether LMDB found its file damaged, which no retry can repair. */
export function isDamage(cause: unknown): boolean {
  return cause instanceof Error && /MDB_(CORRUPTED|PAGE_NOTFOUND|PROBLEM|BAD_TXN)/.test(cause.message);
}
