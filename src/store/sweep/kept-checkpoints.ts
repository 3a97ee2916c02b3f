import { everything, ownerOf } from "../key.js";
import { decodeMark, type Mark, present, stateOf } from "../record.js";
import { work } from "../sweep-work.js";
import { nameOf, type Row, type Tables } from "../tables.js";
import { costOf, type Ledger } from "../totals.js";
import { OldestFirst } from "./oldest-first.js";

export interface KeptCheckpoint {
  readonly name: string;
  readonly thread: Thread;
  readonly bytes: number;
  usedMs: number;
  isLinked: boolean;
}

export interface Thread {
  readonly key: Buffer;
  readonly checkpoints: Set<KeptCheckpoint>;
  /** The row when all its checkpoints were known here; undefined when some were not read. Another process may have put one. */
  row: Uint8Array | undefined;
  /** Counts the checkpoints that came and went. A change voids what was computed from them before. */
  changes: number;
}

/**
 * The checkpoints as a sweep knows them: at first those that are not linked or whose conversation lost one, all of them only when
 * some are to be dropped. The store notifies it of checkpoints that come and go during the sweep.
 */
export class KeptCheckpoints {
  readonly unlinked = new Set<Thread>();
  /** Conversations that lost a checkpoint, and perhaps some blobs with it. */
  readonly loose = new Set<Thread>();
  readonly #tables: Tables;
  readonly #ledger: Ledger;
  readonly #checkpoints = new Map<string, KeptCheckpoint>();
  readonly #threads = new Map<string, Thread>();
  readonly #byAge = new OldestFirst<KeptCheckpoint>();
  #oldestMs = Number.POSITIVE_INFINITY;
  #hasAll = false;

  constructor(tables: Tables, ledger: Ledger) {
    this.#tables = tables;
    this.#ledger = ledger;
  }

  get oldestMs(): number {
    return this.#oldestMs;
  }

  /** Reads what has to be linked or settled. It looks at every mark, but holds few of them. */
  *readOpen(): Generator<number, undefined> {
    for (const row of this.#tables.loose.rows(everything)) {
      if (row !== undefined) {
        const thread = this.#threadOf(row.key);
        thread.row = this.#tables.threads.get(row.key);
        this.loose.add(thread);
      }
      yield work.row;
    }
    yield* this.#readMarks((thread, { isLinked }) => !isLinked || this.#threads.has(nameOf(thread)));
  }

  *readAll(): Generator<number, undefined> {
    if (this.#hasAll) return;
    // Read before the checkpoints themselves, because a checkpoint that is put during the reading may be missed.
    for (const row of this.#tables.threads.rows(everything)) {
      if (row !== undefined) this.#threadOf(row.key).row = row.value;
      yield work.row;
    }
    yield* this.#readMarks(() => true);
    this.#hasAll = true;
  }

  noteMark(key: Buffer, mark: Mark): void {
    this.#enter(key, mark).usedMs = mark.usedMs;
  }

  /** Notes that this process has put a checkpoint into a conversation. */
  noteThread(key: Buffer, before: Uint8Array | undefined, row: Uint8Array): void {
    const thread = this.#threadOf(key);
    if (isSame(thread.row, before)) thread.row = row;
  }

  /** `thread` is undefined when the mark was lost. */
  noteRemoval(key: Buffer, thread: Buffer | undefined): void {
    const checkpoint = this.#checkpoints.get(nameOf(key));
    if (checkpoint !== undefined) this.#forget(checkpoint);
    if (thread !== undefined) this.loose.add(this.#threadOf(thread));
  }

  has(checkpoint: KeptCheckpoint): boolean {
    return this.#checkpoints.get(checkpoint.name) === checkpoint;
  }

  oldest(): KeptCheckpoint | undefined {
    return this.#byAge.oldest((each) => (this.has(each) ? each.usedMs : undefined))?.item;
  }

  stateOf({ name }: KeptCheckpoint): Uint8Array | undefined {
    return stateOf(this.#tables.checkpoints.get(Buffer.from(name, "latin1")));
  }

  /** Whether all checkpoints of the conversation are known: they were read, and no other process has put one since. */
  isKnown({ key, row }: Thread): boolean {
    return isSame(row, this.#tables.threads.get(key));
  }

  drop(checkpoint: KeptCheckpoint): void {
    const { name, thread, bytes } = checkpoint;
    const key = Buffer.from(name, "latin1");
    this.#tables.checkpoints.remove(key);
    this.#tables.marks.remove(key);
    this.#tables.loose.put(thread.key, present);
    this.#forget(checkpoint);
    this.#ledger.adjust({ checkpoints: -1, bytes: -costOf(bytes) });
  }

  *#readMarks(isWanted: (thread: Buffer, mark: Mark) => boolean): Generator<number, undefined> {
    for (const row of this.#tables.marks.rows(everything)) {
      if (row !== undefined) this.#readMark(row, isWanted);
      yield work.row;
    }
  }

  #readMark({ key, value }: Row<Uint8Array>, isWanted: (thread: Buffer, mark: Mark) => boolean): void {
    const mark = decodeMark(value);
    if (mark === undefined) {
      this.#tables.marks.remove(key);
      this.#tables.checkpoints.remove(key);
      return;
    }
    this.#oldestMs = Math.min(this.#oldestMs, mark.usedMs);
    if (isWanted(threadOf(key, mark), mark)) this.#enter(key, mark);
  }

  #enter(key: Buffer, mark: Mark): KeptCheckpoint {
    const name = nameOf(key);
    const known = this.#checkpoints.get(name);
    if (known !== undefined) return known;
    const thread = this.#threadOf(threadOf(key, mark));
    const { usedMs, bytes, isLinked } = mark;
    const checkpoint = { name, thread, bytes, usedMs, isLinked };
    this.#checkpoints.set(name, checkpoint);
    thread.checkpoints.add(checkpoint);
    thread.changes++;
    if (!isLinked) this.unlinked.add(thread);
    this.#byAge.push(usedMs, checkpoint);
    return checkpoint;
  }

  #forget(checkpoint: KeptCheckpoint): void {
    const { name, thread } = checkpoint;
    this.#checkpoints.delete(name);
    thread.checkpoints.delete(checkpoint);
    thread.changes++;
    this.loose.add(thread);
  }

  #threadOf(key: Buffer): Thread {
    const name = nameOf(key);
    const thread = this.#threads.get(name) ?? { key, checkpoints: new Set(), row: undefined, changes: 0 };
    this.#threads.set(name, thread);
    return thread;
  }
}

export function threadOf(key: Buffer, { conversation }: Mark): Buffer {
  return Buffer.concat([ownerOf(key), conversation]);
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}
