import { BoundedMap } from "../turn/bounded-map.js";
import { LineageContents } from "./contents.js";
import {
  asBuffer,
  factsOf,
  groupKey,
  groupOf,
  ID_BYTES,
  lineageOf,
  nameKey,
  OWNER_BYTES,
  ownerOf,
  ownerTag,
  rowKey,
} from "./key.js";
import { type Contents, decodeRecord, encodeRecord, namesIn, packOf, type Record, unpackInto } from "./record.js";
import { type StoreStats, Sweeper, type Swept, sizeOf } from "./sweeper.js";
import type { Tables } from "./tables.js";

const DEFAULT_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const MAX_OWNERS_REMEMBERED = 1_000;
const nothing = Buffer.alloc(0);

/** A row of a lineage, and the names by which it is found. */
export interface Row {
  /**
   * The first identifies the row: a later row with the same first name replaces it, and in the same lineage takes over its names.
   * The others lead to the newest row.
   */
  readonly names: readonly string[];
  readonly text: string;
  /** Returned byte for byte. */
  readonly bytes?: Uint8Array;
}

export interface FoundRow {
  readonly lineage: string;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface StoreOptions {
  /** The size that sweeps aim at. Writes are refused only a quarter above it. */
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
  /** The work of one slice of a sweep, in counted microseconds. */
  readonly sliceWork?: number;
  readonly now: () => number;
  /** Takes problems that do not stop the store: a failed write, a damaged record. */
  readonly onProblem?: (problem: Error) => void;
}

/**
 * Holds what outlives a run. Rows that belong together share a lineage: a conversation from its cold start on, or a single note. A
 * lineage is as old as the newest row in it, and is dropped whole. Everything is namespaced by `owner` (account + gateway key, already
 * hashed): one owner never sees another's state. Reads are synchronous and see every accepted write at once; unreadable rows are
 * misses. Nothing here throws for lack of space: a row that does not fit is dropped whole and reported to `onProblem`.
 */
export class LineageStore {
  readonly #tables: Tables;
  readonly #now: () => number;
  readonly #onProblem: (problem: Error) => void;
  readonly #owners = new BoundedMap<string, Buffer>(MAX_OWNERS_REMEMBERED);
  readonly #contents: LineageContents;
  readonly #sweeper: Sweeper;

  constructor(options: StoreOptions & { readonly tables: Tables; readonly maxBytes: number }) {
    const { tables, maxBytes, maxAgeMs = DEFAULT_MAX_AGE_MS, sliceWork, now, onProblem = () => {} } = options;
    this.#tables = tables;
    this.#now = now;
    this.#onProblem = onProblem;
    const write = (group: Buffer, pack: Buffer) => this.#writeContent(group, pack);
    this.#contents = new LineageContents({ tables, now, write });
    const onDrop = (row: Buffer, record: Record | undefined) => {
      this.#contents.drop(groupOf(row));
      this.#forget(row, record);
    };
    this.#sweeper = new Sweeper({ tables, now, maxBytes, maxAgeMs, sliceWork, onDrop });
  }

  /** Content of a lineage by its SHA-256. */
  getBlob(owner: string, lineage: string, id: Uint8Array): Uint8Array | undefined {
    return id.length === ID_BYTES ? this.#contents.get(groupKey(this.#ownerTag(owner), lineage), id) : undefined;
  }

  /**
   * Content for the next row of the lineage, committed no later than that row. The caller has checked that the id is the hash of
   * the data, and does not change the data afterwards.
   */
  putBlob(owner: string, lineage: string, id: Uint8Array, data: Uint8Array): void {
    if (id.length === ID_BYTES) this.#contents.put(groupKey(this.#ownerTag(owner), lineage), id, data);
  }

  /** Whether a name leads anywhere. */
  has(owner: string, name: string): boolean {
    return this.lineageAt(owner, name) !== undefined;
  }

  /** The lineage that a name leads into, after a restart as well. */
  lineageAt(owner: string, name: string): string | undefined {
    const row = this.#tables.names.get(nameKey(this.#ownerTag(owner), name));
    return row && lineageOf(asBuffer(row));
  }

  get(owner: string, name: string): FoundRow | undefined {
    const row = this.#tables.names.get(nameKey(this.#ownerTag(owner), name));
    const found = row && this.#read(asBuffer(row));
    return found && { lineage: lineageOf(asBuffer(row)), text: found.text, bytes: found.bytes };
  }

  /** Returns whether the row is kept. */
  put(owner: string, lineage: string, { names, text, bytes = nothing }: Row): boolean {
    const tag = this.#ownerTag(owner);
    const group = groupKey(tag, lineage);
    const given = names.map((name) => nameKey(tag, name));
    const before = given[0] && this.#tables.names.get(given[0]);
    const replaced = before && asBuffer(before);
    const old = replaced && this.#read(replaced);
    const isSameLineage = replaced !== undefined && groupOf(replaced).equals(group);
    const waiting = this.#contents.waitingFor(group);
    const isSame = isSameLineage && waiting === undefined && old?.text === text && asBuffer(old.bytes).equals(bytes);
    // Cursor sends the last checkpoint of a turn up to three times.
    if (isSame && given.every((key) => this.#leadsTo(key, replaced))) return true;
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return this.#refuse("A row is over 8 MiB");
    const contents: Contents = new Map();
    if (isSameLineage && old !== undefined) unpackInto(contents, old);
    for (const [id, data] of waiting ?? []) contents.set(id, data);
    const pack = packOf(contents);
    const older = isSameLineage && old !== undefined ? this.#namesOf(replaced, old) : [];
    const keys = [...given, ...older.filter((key) => !given.some((each) => each.equals(key)))];
    const tags = Buffer.concat(keys.map((key) => key.subarray(OWNER_BYTES)));
    const row = this.#write(group, { names: tags, text, bytes, pack });
    if (row === undefined) return this.#refuse("There is no room for a row");
    for (const key of keys) this.#tables.names.put(key, row);
    this.#contents.settle(group);
    // The content of another lineage stays with it.
    if (replaced !== undefined && (isSameLineage || old?.pack.length === 0)) this.#drop(replaced, old);
    return true;
  }

  /** Returns whether there was such a row. */
  remove(owner: string, name: string): boolean {
    const found = this.#tables.names.get(nameKey(this.#ownerTag(owner), name));
    if (found === undefined) return false;
    const row = asBuffer(found);
    const record = decodeRecord(this.#tables.rows.get(row));
    this.#drop(row, record);
    // The lineage still needs the content that came with it.
    if (record !== undefined && record.pack.length > 0 && !this.#writeContent(groupOf(row), record.pack))
      this.#contents.putBack(groupOf(row), record);
    return true;
  }

  /** Resolves when everything accepted so far is on disk. @throws Error when it could not be written */
  flush(): Promise<void> {
    return this.#tables.flush();
  }

  /** Undefined until the first sweep has counted. */
  stats(): StoreStats | undefined {
    return this.#sweeper.stats;
  }

  /**
   * Evicts what is too old or above the limit. One call does a slice of a few milliseconds; the rest follows in the background.
   * The store also starts sweeps itself when it is over its limit and much was written.
   */
  sweep(nowMs: number): Swept {
    this.#contents.tidy();
    return this.#sweeper.sweep(nowMs);
  }

  close(): Promise<void> {
    this.#sweeper.close();
    return this.#tables.close();
  }

  #read(row: Buffer): Record | undefined {
    const stored = this.#tables.rows.get(row);
    const record = decodeRecord(stored);
    if (stored !== undefined && record === undefined) {
      this.#onProblem(new Error("A stored row was damaged and has been dropped."));
      this.#contents.drop(groupOf(row));
      this.#drop(row, undefined);
    }
    return record;
  }

  #writeContent(group: Buffer, pack: Buffer): boolean {
    return this.#write(group, { names: nothing, text: "", bytes: nothing, pack }) !== undefined;
  }

  /** Returns the key of the row; undefined if there is no room for it. */
  #write(group: Buffer, record: Record): Buffer | undefined {
    const encoded = encodeRecord(record);
    const size = sizeOf(encoded.length);
    if (!this.#sweeper.hasRoom(size)) return undefined;
    const row = rowKey(group, { putMs: this.#now(), isNamed: record.names.length > 0, size });
    this.#tables.rows.put(row, encoded);
    this.#sweeper.noteChange(size);
    return row;
  }

  #drop(row: Buffer, record: Record | undefined): void {
    this.#tables.rows.remove(row);
    this.#sweeper.noteChange(-factsOf(row).size);
    this.#forget(row, record);
  }

  /** Removes the names that lead to a row which is gone. */
  #forget(row: Buffer, record: Record | undefined): void {
    if (record === undefined) return;
    for (const key of this.#namesOf(row, record)) this.#tables.names.remove(key);
  }

  /** The names that lead to a row. Some of those that it was put with may lead to others by now. */
  #namesOf(row: Buffer, record: Record): Buffer[] {
    const keys = Array.from(namesIn(record), (tag) => Buffer.concat([ownerOf(row), tag]));
    return keys.filter((key) => this.#leadsTo(key, row));
  }

  #leadsTo(name: Buffer, row: Buffer | undefined): boolean {
    const found = this.#tables.names.get(name);
    return found !== undefined && row?.equals(found) === true;
  }

  #refuse(what: string): false {
    this.#onProblem(new Error(`${what}: it was not stored.`));
    return false;
  }

  #ownerTag(owner: string): Buffer {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const tag = ownerTag(owner);
    this.#owners.set(owner, tag);
    return tag;
  }
}

/** A store, whatever holds its tables. */
export type Store = Pick<LineageStore, keyof LineageStore>;

export type TurnStore = Omit<Store, "stats" | "sweep" | "close">;
