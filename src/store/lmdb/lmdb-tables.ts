import type { RootDatabase } from "lmdb";
import { makeTables, type TableName, type Tables } from "../tables.js";
import { LmdbTable } from "./lmdb-table.js";

/** How much is held in memory while the disk cannot be written. Beyond this, writes are refused. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** How long changes are gathered for one commit. Each commit writes some pages of every table, however little has changed. */
const GATHER_MS = 20;
/** The wait after a failed commit. It doubles with each further failure. A flush does not wait for it. */
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 60_000;

interface LmdbTablesOptions {
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  readonly onProblem: (problem: Error) => void;
  /** Called when the database is closed and everything was written. */
  readonly onClosed: () => void;
  /** Called when LMDB finds its file damaged, which no retry can repair. */
  readonly onDamage: () => void;
}

/**
 * Opens the tables in LMDB. Changes are collected in memory and committed together, one transaction at a time on LMDB's own
 * thread. A transaction that fails stays in memory and is tried again with later changes. So the disk always has everything that
 * was accepted up to some moment, and a write costs the event loop no more than a map entry.
 */
export function openLmdbTables(options: LmdbTablesOptions): Tables {
  const commits = new Commits(options);
  return {
    ...commits.tables,
    isFull: () => commits.isFull(),
    flush: () => commits.flush(),
    close: () => commits.close(),
  };
}

class Commits {
  readonly tables: Readonly<Record<TableName, LmdbTable>>;
  readonly #options: LmdbTablesOptions;
  readonly #all: readonly LmdbTable[];
  #waitingBytes = 0;
  #gathering: NodeJS.Timeout | undefined;
  #committing: Promise<void> | undefined;
  #restMs = FIRST_REST_MS;
  #resting: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LmdbTablesOptions) {
    this.#options = options;
    this.tables = makeTables((name, group) => this.#table(name, group));
    this.#all = Object.values(this.tables);
  }

  isFull(): boolean {
    return this.#waitingBytes > MAX_WAITING_BYTES;
  }

  async flush(): Promise<void> {
    // The commit under way may have begun before the last change. The next commit contains all of them.
    await this.#committing?.catch(() => {});
    if (this.#committing !== undefined || this.#hasWaiting()) await this.#commit();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    let isWritten = true;
    await this.flush().catch(() => {
      isWritten = false;
    });
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    clearTimeout(this.#resting);
    await this.#options.root.close();
    if (isWritten) this.#options.onClosed();
  }

  #table(name: TableName, group: number): LmdbTable {
    const encodings = { encoding: "binary", keyEncoding: "binary" } as const;
    return new LmdbTable(this.#options.root.openDB<Uint8Array, Uint8Array>(name, encodings), group, {
      onChange: (bytes) => {
        this.#waitingBytes += bytes;
        this.#schedule();
      },
      onProblem: this.#options.onProblem,
    });
  }

  #schedule(): void {
    if (
      this.#gathering !== undefined ||
      this.#committing !== undefined ||
      this.#resting !== undefined ||
      this.#isClosed
    )
      return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      if (this.#committing === undefined && !this.#isClosed && this.#hasWaiting()) this.#commit().catch(() => {});
    }, GATHER_MS);
  }

  #hasWaiting(): boolean {
    return this.#all.some((table) => table.hasWaiting());
  }

  #commit(): Promise<void> {
    this.#committing ??= this.#writeAll().finally(() => {
      this.#committing = undefined;
      if (this.#hasWaiting()) this.#schedule();
    });
    return this.#committing;
  }

  async #writeAll(): Promise<void> {
    const bytes = this.#waitingBytes;
    try {
      await this.#options.root.batch(() => {
        for (const table of this.#all) table.beginCommit();
      });
    } catch (thrown) {
      for (const table of this.#all) table.abandonCommit();
      this.#rest();
      const cause = await rootCause(thrown);
      if (isDamage(cause)) this.#options.onDamage();
      const problem = new Error("Conversation state could not be written to disk; it is held in memory for now.", {
        cause,
      });
      this.#options.onProblem(problem);
      throw problem;
    }
    for (const table of this.#all) table.endCommit();
    this.#waitingBytes -= bytes;
    this.#restMs = FIRST_REST_MS;
  }

  #rest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      if (this.#hasWaiting()) this.#schedule();
    }, this.#restMs);
    this.#resting.unref();
    this.#restMs = Math.min(2 * this.#restMs, MAX_REST_MS);
  }
}

/** LMDB gives its reason as a promise that is rejected with it. */
async function rootCause(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Error) || !("commitError" in thrown)) return thrown;
  try {
    await thrown.commitError;
    return thrown;
  } catch (cause) {
    return cause;
  }
}

function isDamage(cause: unknown): boolean {
  return cause instanceof Error && /MDB_(CORRUPTED|PAGE_NOTFOUND|PROBLEM|BAD_TXN)/.test(cause.message);
}
