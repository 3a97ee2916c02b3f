import type { Database } from "lmdb";
import { asBuffer } from "../bytes.js";
import { MemoryTable, nameOf, type Row, type Table } from "../tables.js";

/** The first page is small, because often only the first row is read. */
const FIRST_PAGE_ROWS = 4;
const LATER_PAGE_ROWS = 256;

interface TableEvents {
  onChange(bytes: number): void;
  onProblem(problem: Error): void;
}

/** A row that is not committed yet. A value of null stands for a removed row. */
interface Change {
  readonly key: Buffer;
  readonly value: Uint8Array | null;
}

/** One LMDB database, overlaid with changes that are not committed yet. */
export class LmdbTable implements Table {
  readonly #database: Database<Uint8Array, Uint8Array>;
  readonly #group: number;
  readonly #events: TableEvents;
  #waiting: MemoryTable<Change>;
  #committing: MemoryTable<Change>;

  constructor(database: Database<Uint8Array, Uint8Array>, group: number, events: TableEvents) {
    this.#database = database;
    this.#group = group;
    this.#events = events;
    this.#waiting = new MemoryTable(group);
    this.#committing = new MemoryTable(group);
  }

  get(key: Buffer): Uint8Array | undefined {
    const held = this.#held(key);
    if (held !== undefined) return held.value ?? undefined;
    return this.#read(() => this.#database.get(key), undefined);
  }

  has(key: Buffer): boolean {
    const held = this.#held(key);
    if (held !== undefined) return held.value !== null;
    return this.#read(() => this.#database.doesExist(key), false);
  }

  put(key: Buffer, value: Uint8Array): void {
    this.#waiting.put(key, { key, value });
    this.#events.onChange(key.length + value.length);
  }

  remove(key: Buffer): void {
    this.#waiting.put(key, { key, value: null });
    this.#events.onChange(key.length);
  }

  *rows(prefix: Buffer): IterableIterator<Row<Uint8Array>> {
    // These rows are yielded from memory: once committed, they may lie behind the point that the walk through LMDB has reached.
    const waiting = new Set<string>();
    for (const table of [this.#waiting, this.#committing]) {
      for (const { key } of table.rows(prefix)) waiting.add(nameOf(key));
    }
    for (const name of waiting) yield* this.#row(Buffer.from(name, "latin1"));
    for (const key of this.#storedKeys(prefix)) if (!waiting.has(nameOf(key))) yield* this.#row(key);
  }

  count(): number | undefined {
    if (this.#waiting.count() + this.#committing.count() > 0) return undefined;
    const { entryCount }: { entryCount?: unknown } = this.#read(() => this.#database.getStats(), {});
    return typeof entryCount === "number" ? entryCount : undefined;
  }

  hasWaiting(): boolean {
    return this.#waiting.count() > 0;
  }

  beginCommit(): void {
    this.#committing = this.#waiting;
    this.#waiting = new MemoryTable(this.#group);
    for (const { key, value } of this.#committing.values()) {
      if (value === null) this.#database.remove(key);
      else this.#database.put(key, value);
    }
  }

  endCommit(): void {
    this.#committing = new MemoryTable(this.#group);
  }

  /** Makes the changes of a failed commit wait again, except where a newer change waits already. */
  abandonCommit(): void {
    for (const change of this.#waiting.values()) this.#committing.put(change.key, change);
    this.#waiting = this.#committing;
    this.#committing = new MemoryTable(this.#group);
  }

  #held(key: Buffer): Change | undefined {
    if (this.#waiting.count() + this.#committing.count() === 0) return undefined;
    const name = nameOf(key);
    return this.#waiting.find(name) ?? this.#committing.find(name);
  }

  *#row(key: Buffer): IterableIterator<Row<Uint8Array>> {
    const value = this.get(key);
    if (value !== undefined) yield { key, value };
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
    try {
      return read();
    } catch (cause) {
      this.#events.onProblem(new Error("Conversation state could not be read from disk.", { cause }));
      return otherwise;
    }
  }
}
