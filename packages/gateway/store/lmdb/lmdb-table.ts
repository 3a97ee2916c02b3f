import type { Database } from "lmdb";
import { asBuffer } from "../key.js";
import { keyOf, MemoryRows, nameOf, type Table } from "../tables.js";

/** The first page is small, because often only the first row is read. */
const FIRST_PAGE_ROWS = 4;
const LATER_PAGE_ROWS = 256;

/** A change that is not committed yet. A null value is a tombstone. */
export interface Change {
  readonly table: LmdbTable;
  readonly key: Buffer;
  /** The key as it is looked up here. Making it takes longer than the lookup. */
  readonly name: string;
  readonly batch: Batch;
  value: Uint8Array | null;
  /** Whether no later batch changes the same row. */
  isNewest: boolean;
}

export interface Batch {
  readonly changes: Change[];
  bytes: number;
}

interface LmdbTableDeps {
  openBatch(): Batch;
  onChange(bytes: number): void;
  /** Reading a closed database makes LMDB throw from a timer, where nothing catches it. */
  isClosed(): boolean;
  onProblem(problem: Error): void;
}

/** One LMDB database, overlaid with the newest change of each row that is not committed yet. */
export class LmdbTable implements Table {
  readonly #database: Database<Uint8Array, Uint8Array>;
  readonly #deps: LmdbTableDeps;
  readonly #waiting: MemoryRows<Change>;

  constructor(database: Database<Uint8Array, Uint8Array>, group: number, deps: LmdbTableDeps) {
    this.#database = database;
    this.#deps = deps;
    this.#waiting = new MemoryRows(group);
  }

  get(key: Buffer): Uint8Array | undefined {
    const waiting = this.#waiting.size === 0 ? undefined : this.#waiting.get(nameOf(key));
    if (waiting !== undefined) return waiting.value ?? undefined;
    return this.#read(() => this.#database.get(key), undefined);
  }

  put(key: Buffer, value: Uint8Array): void {
    this.#change(key, value);
    this.#deps.onChange(key.length + value.length);
  }

  remove(key: Buffer): void {
    this.#change(key, null);
    this.#deps.onChange(key.length);
  }

  *keys(prefix: Buffer): IterableIterator<Buffer> {
    // Keys in memory come first: a row that is committed before its turn is then met in LMDB.
    const seen = new Set<string>();
    for (const name of this.#waiting.names(prefix)) {
      seen.add(name);
      if (this.#waiting.get(name)?.value != null) yield keyOf(name);
    }
    for (const key of this.#storedKeys(prefix)) {
      const name = nameOf(key);
      if (!seen.has(name) && this.#waiting.get(name)?.value !== null) yield key;
    }
  }

  write({ key, value }: Change): void {
    if (value === null) this.#database.remove(key);
    else this.#database.put(key, value);
  }

  /** Forgets a change that is committed, unless a newer one waits. */
  forget({ isNewest, name }: Change): void {
    if (isNewest) this.#waiting.remove(name);
  }

  /** A row that changes twice within one batch is written once. */
  #change(key: Buffer, value: Uint8Array | null): void {
    const batch = this.#deps.openBatch();
    const name = nameOf(key);
    const waiting = this.#waiting.get(name);
    if (waiting?.batch === batch) {
      waiting.value = value;
      return;
    }
    if (waiting !== undefined) waiting.isNewest = false;
    const change = { table: this, key, name, batch, value, isNewest: true };
    this.#waiting.put(name, change);
    batch.changes.push(change);
  }

  /** Reads by pages, so that no read transaction stays open across events: an open one keeps LMDB from reusing free space. */
  *#storedKeys(prefix: Buffer): IterableIterator<Buffer> {
    // A bound after all keys that begin with the prefix.
    const end = prefix.length === 0 ? undefined : Buffer.concat([prefix, Buffer.alloc(64, 0xff)]);
    let start = prefix;
    for (let limit = FIRST_PAGE_ROWS; ; limit = LATER_PAGE_ROWS) {
      const range = { ...(start.length > 0 && { start }), ...(end !== undefined && { end }), limit };
      const page = this.#read(() => Array.from(this.#database.getKeys(range), asBuffer), []);
      yield* page;
      const last = page.at(-1);
      // In a damaged file the next key may be smaller than the last.
      if (last === undefined || page.length < limit || last.compare(start) < 0) return;
      start = Buffer.concat([last, Buffer.of(0)]);
    }
  }

  #read<Found>(read: () => Found, otherwise: Found): Found {
    if (this.#deps.isClosed()) return otherwise;
    try {
      return read();
    } catch (cause) {
      this.#deps.onProblem(new Error("Conversation state could not be read from disk.", { cause }));
      return otherwise;
    }
  }
}
