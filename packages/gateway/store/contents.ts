import { BoundedMap } from "../turn/bounded-map.js";
import { isHashOf } from "./key.js";
import { type Contents, decodeRecord, packOf, type Record, unpackInto } from "./record.js";
import { nameOf, type Tables } from "./tables.js";

/** Waiting content beyond this size is written without waiting for a row. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A run whose checkpoint has not come by then gets it late or never. */
const MAX_WAITING_MS = 60_000;
/**
 * How much content may wait in memory if the store is full. The largest request names about 64 MiB (a body of 32 MiB, whose text
 * is in two kinds of blobs), so there is room for two of them. Anything beyond that makes replies cold, but no turn fails.
 */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
const MAX_HELD_MS = 60 * 60_000;
/** Lineages whose content is kept in memory while Cursor asks for it, piece by piece. */
const MAX_READ = 4;
/** Lineages whose written content is remembered by id: Cursor sends some content again in every turn. */
const MAX_WRITTEN = 50;

interface Waiting {
  readonly group: Buffer;
  readonly contents: Contents;
  readonly sinceMs: number;
  bytes: number;
  /** It is written when `bytes` exceeds this. */
  mostBytes: number;
}

interface ContentsDeps {
  readonly tables: Tables;
  readonly now: () => number;
  /** Writes a row without a name. Returns whether there was room. */
  readonly write: (group: Buffer, pack: Buffer) => boolean;
}

/** The content of lineages: what waits for the next row, and what is on disk. */
export class LineageContents {
  readonly #deps: ContentsDeps;
  /** The longest waiting first. */
  readonly #waiting = new Map<string, Waiting>();
  #waitingBytes = 0;
  readonly #read = new BoundedMap<string, Contents>(MAX_READ);
  /** The ids of content by the names of lineages. */
  readonly #written = new BoundedMap<string, Set<string>>(MAX_WRITTEN);

  constructor(deps: ContentsDeps) {
    this.#deps = deps;
  }

  get(group: Buffer, id: Uint8Array): Uint8Array | undefined {
    const [name, blob] = [nameOf(group), Buffer.from(id).toString("latin1")];
    const waiting = this.#waiting.get(name)?.contents.get(blob);
    if (waiting !== undefined) return waiting;
    const known = this.#read.get(name)?.get(blob);
    // Another process may have written more since it was read.
    const found = known ?? this.#readAll(group, name).get(blob);
    if (found !== undefined && isHashOf(id, found)) return found;
    this.drop(group); // it can be put again
    return undefined;
  }

  put(group: Buffer, id: Uint8Array, data: Uint8Array): void {
    this.#wait(group, Buffer.from(id).toString("latin1"), data);
  }

  /** Takes back the content of a removed row if the store has no room for it. */
  putBack(group: Buffer, record: Record): void {
    this.drop(group);
    const contents: Contents = new Map();
    unpackInto(contents, record);
    for (const [id, data] of contents) this.#wait(group, id, data);
  }

  #wait(group: Buffer, id: string, data: Uint8Array): void {
    const name = nameOf(group);
    if (this.#written.get(name)?.has(id) === true) return;
    const begun = { group, contents: new Map(), sinceMs: this.#deps.now(), bytes: 0, mostBytes: MAX_WAITING_BYTES };
    const waiting = this.#waiting.get(name) ?? begun;
    this.#waiting.set(name, waiting);
    if (waiting.contents.has(id)) return;
    waiting.contents.set(id, data);
    waiting.bytes += data.length;
    this.#waitingBytes += data.length;
    if (waiting.bytes > waiting.mostBytes && !this.#writeOut(waiting)) waiting.mostBytes = 2 * waiting.bytes;
    if (this.#waitingBytes > MAX_HELD_BYTES) this.#letGoOfOldest();
  }

  /** The content for the row that is about to be written. It keeps waiting until `settle`. */
  waitingFor(group: Buffer): Contents | undefined {
    return this.#waiting.get(nameOf(group))?.contents;
  }

  /** Called when the waiting content of a lineage has been written. */
  settle(group: Buffer): void {
    const name = nameOf(group);
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    const read = this.#read.get(name);
    if (read !== undefined) for (const [id, data] of waiting.contents) read.set(id, data);
    const written = this.#written.get(name) ?? new Set();
    for (const id of waiting.contents.keys()) written.add(id);
    this.#written.set(name, written);
    this.#forget(name, waiting);
  }

  /** Called when a lineage, or a part of it, was dropped. */
  drop(group: Buffer): void {
    this.#read.delete(nameOf(group));
    this.#written.delete(nameOf(group));
  }

  /** Writes out content that has waited long; drops it if there has been no room for an hour. */
  tidy(): void {
    this.#read.clear();
    const nowMs = this.#deps.now();
    for (const [name, waiting] of this.#waiting) {
      if (waiting.sinceMs > nowMs - MAX_WAITING_MS) return;
      if (!this.#writeOut(waiting) && waiting.sinceMs <= nowMs - MAX_HELD_MS) this.#forget(name, waiting);
    }
  }

  #writeOut({ group, contents }: Waiting): boolean {
    const isWritten = this.#deps.write(group, packOf(contents));
    if (isWritten) this.settle(group);
    return isWritten;
  }

  #letGoOfOldest(): void {
    for (const [name, waiting] of this.#waiting) {
      if (this.#waitingBytes <= MAX_HELD_BYTES) return;
      if (!this.#writeOut(waiting)) this.#forget(name, waiting);
    }
  }

  #forget(name: string, { bytes }: Waiting): void {
    this.#waiting.delete(name);
    this.#waitingBytes -= bytes;
  }

  #readAll(group: Buffer, name: string): Contents {
    const contents: Contents = new Map();
    for (const key of this.#deps.tables.rows.keys(group)) {
      const record = decodeRecord(this.#deps.tables.rows.get(key));
      if (record !== undefined) unpackInto(contents, record);
    }
    this.#read.set(name, contents);
    return contents;
  }
}
