import type { RootDatabase } from "lmdb";
import { groupBytes, type Tables } from "../tables.js";
import { type Batch, LmdbTable } from "./lmdb-table.js";

/** How much is held in memory while the disk cannot be written. Beyond this, writes are refused. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** A batch takes no more changes once it has this many. Handing a batch over to LMDB takes a few microseconds for each of them. */
const MAX_BATCH_CHANGES = 2_000;
/** One that is being committed, and one that was filled meanwhile. */
const MAX_BATCHES_IN_PACE = 2;
/** The back-off after a failed commit. It doubles with each further failure. A flush does not wait for it. */
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
 * The tables in LMDB. Changes are collected in memory and committed together, one transaction at a time on LMDB's own
 * thread. A failed one is retried before later changes, so the disk has everything that was accepted up to some moment. A
 * batch never ends within one turn of the event loop: changes made there without a pause are committed together.
 */
export class LmdbTables implements Tables {
  readonly rows: LmdbTable;
  readonly names: LmdbTable;
  readonly #options: LmdbTablesOptions;
  /** Takes all changes until it is sealed. */
  #open: Batch = { changes: [], bytes: 0 };
  /** Batches to be committed one by one, the oldest first. */
  readonly #sealed: Batch[] = [];
  #waitingBytes = 0;
  #isScheduled = false;
  #committing: Promise<void> | undefined;
  #restMs = FIRST_REST_MS;
  #resting: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LmdbTablesOptions) {
    this.#options = options;
    this.rows = this.#table("rows");
    this.names = this.#table("names");
  }

  isFull(): boolean {
    return this.#waitingBytes > MAX_WAITING_BYTES;
  }

  isBehind(): boolean {
    return this.#sealed.length > MAX_BATCHES_IN_PACE;
  }

  async flush(): Promise<void> {
    await this.#committing?.catch(() => {});
    this.#seal();
    const last = this.#sealed.at(-1);
    while (last !== undefined && this.#sealed.includes(last)) await this.#commit();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    let isWritten = true;
    await this.flush().catch(() => {
      isWritten = false;
    });
    this.#isClosed = true;
    clearTimeout(this.#resting);
    await this.#options.root.close();
    if (isWritten) this.#options.onClosed();
  }

  #table(name: keyof typeof groupBytes): LmdbTable {
    const encodings = { encoding: "binary", keyEncoding: "binary" } as const;
    return new LmdbTable(this.#options.root.openDB<Uint8Array, Uint8Array>(name, encodings), groupBytes[name], {
      openBatch: () => this.#open,
      onChange: (bytes) => {
        this.#waitingBytes += bytes;
        this.#open.bytes += bytes;
        this.#schedule();
      },
      isClosed: () => this.#isClosed,
      onProblem: this.#options.onProblem,
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isClosed || (!this.#canCommit() && !this.#isOpenFull())) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isOpenFull()) this.#seal();
      if (this.#canCommit() && !this.#isClosed && this.#hasWaiting()) this.#commit().catch(() => {});
    });
  }

  #canCommit(): boolean {
    return this.#committing === undefined && this.#resting === undefined;
  }

  #isOpenFull(): boolean {
    return this.#open.changes.length >= MAX_BATCH_CHANGES;
  }

  #hasWaiting(): boolean {
    return this.#sealed.length > 0 || this.#open.changes.length > 0;
  }

  #seal(): void {
    if (this.#open.changes.length === 0) return;
    this.#sealed.push(this.#open);
    this.#open = { changes: [], bytes: 0 };
  }

  #commit(): Promise<void> {
    this.#committing ??= this.#writeOldest().finally(() => {
      this.#committing = undefined;
      if (this.#hasWaiting()) this.#schedule();
    });
    return this.#committing;
  }

  async #writeOldest(): Promise<void> {
    if (this.#sealed.length === 0) this.#seal();
    const { changes, bytes } = this.#sealed[0] ?? this.#open;
    try {
      await this.#options.root.batch(() => {
        for (const change of changes) change.table.write(change);
      });
    } catch (thrown) {
      this.#rest();
      const cause = await rootCause(thrown);
      if (isDamage(cause)) this.#options.onDamage();
      const problem = new Error("Conversation state could not be written to disk; it is held in memory for now.", {
        cause,
      });
      this.#options.onProblem(problem);
      throw problem;
    }
    for (const change of changes) change.table.forget(change);
    this.#sealed.shift();
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

/** Why a commit failed. LMDB gives the reason as a rejected promise, and also writes it to stderr. */
async function rootCause(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Error) || !("commitError" in thrown)) return thrown;
  try {
    await thrown.commitError;
    return thrown;
  } catch (cause) {
    return cause;
  }
}

/** Whether LMDB found its file damaged, which no retry can repair. */
function isDamage(cause: unknown): boolean {
  return cause instanceof Error && /MDB_(CORRUPTED|PAGE_NOTFOUND|PROBLEM|BAD_TXN)/.test(cause.message);
}
