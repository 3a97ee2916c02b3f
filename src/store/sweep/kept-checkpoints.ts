import { everything, ownerOf } from "../key.js";
import { decodeMark, type Mark, present, stateOf } from "../record.js";
import { work } from "../sweep-work.js";
import type { Row, Tables } from "../tables.js";
import { costOf, type Ledger } from "../totals.js";
import { OldestFirst } from "./oldest-first.js";

export interface KeptCheckpoint {
  /** The key as a latin1 string. */
  readonly name: string;
  readonly thread: Thread;
  readonly bytes: number;
  usedMs: number;
  /** Whether its blobs are recorded as reached by the conversation. */
  isLinked: boolean;
}

/** A conversation of one owner. */
export interface Thread {
  readonly key: Buffer;
  readonly checkpoints: Set<KeptCheckpoint>;
  /** The row at the time when all its checkpoints were known here. Another process may have put one since. */
  row: Uint8Array | undefined;
  /** Counts the checkpoints that came and went. A change voids what was computed from them before. */
  changes: number;
}

/** All checkpoints as a sweep knows them. The store notifies it of checkpoints that come and go during the sweep. */
export class KeptCheckpoints {
  /** Conversations with checkpoints that are not linked. */
  readonly unlinked = new Set<Thread>();
  /** Conversations that lost a checkpoint, and perhaps some blobs with it. */
  readonly loose = new Set<Thread>();
  readonly #tables: Tables;
  readonly #ledger: Ledger;
  readonly #checkpoints = new Map<string, KeptCheckpoint>();
  readonly #threads = new Map<string, Thread>();
  readonly #byAge = new OldestFirst<KeptCheckpoint>();

  constructor(tables: Tables, ledger: Ledger) {
    this.#tables = tables;
    this.#ledger = ledger;
  }

  *read(): Generator<number, undefined> {
    // Read before the checkpoints themselves, because a checkpoint that is put during the reading may be missed.
    for (const row of this.#tables.threads.rows(everything)) {
      if (row !== undefined) this.#threadOf(row.key).row = row.value;
      yield work.row;
    }
    for (const row of this.#tables.marks.rows(everything)) {
      if (row !== undefined) this.#readMark(row);
      yield work.row;
    }
    for (const row of this.#tables.loose.rows(everything)) {
      if (row !== undefined) this.loose.add(this.#threadOf(row.key));
      yield work.row;
    }
  }

  /** Notes that a checkpoint was put or used again. */
  noteMark(key: Buffer, mark: Mark): void {
    this.#enter(key, mark).usedMs = mark.usedMs;
  }

  /** Notes that this process has put a checkpoint into a conversation. */
  noteThread(key: Buffer, before: Uint8Array | undefined, row: Uint8Array): void {
    const thread = this.#threadOf(key);
    if (isSame(thread.row, before)) thread.row = row;
  }

  noteRemoval(key: Buffer): void {
    const checkpoint = this.#checkpoints.get(nameOf(key));
    if (checkpoint !== undefined) this.#forget(checkpoint);
  }

  has(checkpoint: KeptCheckpoint): boolean {
    return this.#checkpoints.get(checkpoint.name) === checkpoint;
  }

  /** The least recently used checkpoint. */
  oldest(): KeptCheckpoint | undefined {
    return this.#byAge.oldest((each) => (this.has(each) ? each.usedMs : undefined))?.item;
  }

  stateOf({ name }: KeptCheckpoint): Uint8Array | undefined {
    return stateOf(this.#tables.checkpoints.get(Buffer.from(name, "latin1")));
  }

  /** Whether no other process has put a checkpoint into the conversation since this sweep began. */
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

  #readMark({ key, value }: Row<Uint8Array>): void {
    const mark = decodeMark(value);
    if (mark !== undefined) {
      this.#enter(key, mark);
      return;
    }
    this.#tables.marks.remove(key);
    this.#tables.checkpoints.remove(key);
  }

  #enter(key: Buffer, { usedMs, bytes, isLinked, conversation }: Mark): KeptCheckpoint {
    const name = nameOf(key);
    const known = this.#checkpoints.get(name);
    if (known !== undefined) return known;
    const thread = this.#threadOf(Buffer.concat([ownerOf(key), conversation]));
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

function nameOf(key: Buffer): string {
  return key.toString("latin1");
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}
