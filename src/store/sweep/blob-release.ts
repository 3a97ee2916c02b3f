import { everything, OWNER_BYTES } from "../key.js";
import { decodeFreshness, encodeMark, present } from "../record.js";
import type { Refused } from "../refused.js";
import { work } from "../sweep-work.js";
import type { Tables } from "../tables.js";
import { costOf, type Ledger } from "../totals.js";
import type { KeptCheckpoint, KeptCheckpoints, Thread } from "./kept-checkpoints.js";
import { Reach } from "./reach.js";

/** How long a blob is kept for a run whose checkpoint is still to come: an hour, plus the minute in which putting it again is not noted. */
const FRESH_MS = 61 * 60 * 1000;
/** The same while the store is over its limit, so that runs without a checkpoint cannot fill it for an hour. */
const CROWDED_FRESH_MS = 5 * 60 * 1000;

export interface BlobReleaseDeps {
  readonly tables: Tables;
  readonly ledger: Ledger;
  readonly refused: Refused;
  readonly nowMs: number;
}

/** Drops blobs that no checkpoint reaches. A blob may go only when all checkpoints are linked, so linking comes first. */
export class BlobRelease {
  /** When the next of the blobs may be dropped that no checkpoint reaches. */
  dueMs = Number.POSITIVE_INFINITY;
  readonly #deps: BlobReleaseDeps;
  readonly #tables: Tables;
  readonly #checkpoints: KeptCheckpoints;
  readonly #reach: Reach;

  constructor(deps: BlobReleaseDeps, checkpoints: KeptCheckpoints) {
    this.#deps = deps;
    this.#tables = deps.tables;
    this.#checkpoints = checkpoints;
    this.#reach = new Reach(deps.tables);
  }

  /** Links the blobs of every checkpoint, including checkpoints that are put meanwhile. */
  *linkAll(): Generator<number, undefined> {
    while (this.#checkpoints.unlinked.size > 0) yield* this.linkKnown();
  }

  /**
   * Links the blobs of the checkpoints that are known now. A pass begins with these alone: linking reads all rows of a
   * conversation, and one that gets checkpoints faster than that would never be done.
   */
  *linkKnown(): Generator<number, undefined> {
    const { unlinked, loose } = this.#checkpoints;
    for (const thread of [...unlinked]) {
      unlinked.delete(thread);
      const known = new Set((yield* this.#reach.reachedBy(thread.key)).keys());
      // In a loose conversation, an earlier pass may have stopped between a blob and the blobs that it names.
      const reached = { known, followed: loose.has(thread) ? new Set<string>() : known };
      this.#tables.loose.put(thread.key, present);
      for (const checkpoint of thread.checkpoints) if (!checkpoint.isLinked) yield* this.#link(checkpoint, reached);
      if (!loose.has(thread)) this.#tables.loose.remove(thread.key);
    }
  }

  *settleLoose(): Generator<number, undefined> {
    for (const thread of this.#checkpoints.loose) yield* this.settle(thread);
  }

  /** Drops the blobs that only dropped checkpoints reached. The newest checkpoint nearly always reaches all the others. */
  *settle(thread: Thread): Generator<number, undefined> {
    yield* this.linkAll(); // only linked blobs are followed
    if (!this.#checkpoints.isKnown(thread)) return;
    const { changes } = thread;
    const newestFirst = [...thread.checkpoints].sort((a, b) => b.usedMs - a.usedMs || b.bytes - a.bytes);
    const unreached = yield* this.#reach.unreachedBy(thread.key, this.#statesOf(newestFirst));
    for (const [id, bytes] of unreached) {
      yield* this.linkAll(); // a new checkpoint of another conversation may reach it
      // A new checkpoint of this conversation may reach the rest. A later pass will know.
      if (thread.changes !== changes || !this.#checkpoints.isKnown(thread)) return;
      const blob = this.#reach.letGo(thread.key, id);
      if (blob !== undefined && !this.#isFresh(blob)) this.#drop(blob, bytes);
      yield work.blob;
    }
    if (thread.changes !== changes || !this.#checkpoints.isKnown(thread)) return;
    this.#tables.loose.remove(thread.key);
    this.#checkpoints.loose.delete(thread);
    if (thread.checkpoints.size === 0) this.#tables.threads.remove(thread.key);
  }

  *dropUnreached(isCrowded: boolean): Generator<number, undefined> {
    const { nowMs } = this.#deps;
    const keptMs = isCrowded ? CROWDED_FRESH_MS : FRESH_MS;
    for (const row of this.#tables.fresh.rows(everything)) {
      const freshness = decodeFreshness(row?.value);
      if (row !== undefined && (freshness === undefined || freshness.putMs <= nowMs - keptMs)) {
        yield* this.linkAll(); // a new checkpoint may reach it
        this.#dropUnheld(row.key, nowMs - keptMs);
        yield work.blob;
      } else if (freshness !== undefined) this.dueMs = Math.min(this.dueMs, freshness.putMs + FRESH_MS);
      yield work.row;
    }
  }

  /** Drops a blob that nobody has put since then, unless a checkpoint reaches it. */
  #dropUnheld(blob: Buffer, sinceMs: number): void {
    const row = this.#tables.fresh.get(blob);
    const freshness = decodeFreshness(row);
    if (row === undefined || (freshness !== undefined && freshness.putMs > sinceMs)) return;
    if (this.#reach.isHeld(blob)) {
      this.#tables.fresh.remove(blob);
      return;
    }
    if (this.#isFresh(blob)) this.#deps.refused.add(blob); // a later checkpoint must not rely on it
    this.#drop(blob, freshness?.bytes ?? 0);
  }

  *#link(
    checkpoint: KeptCheckpoint,
    reached: { known: Set<string>; followed: Set<string> },
  ): Generator<number, undefined> {
    const { name, thread } = checkpoint;
    const state = this.#checkpoints.stateOf(checkpoint);
    if (state === undefined) {
      this.#checkpoints.drop(checkpoint);
      return;
    }
    yield* this.#reach.link(thread.key, reached, state);
    if (!this.#checkpoints.has(checkpoint)) return;
    checkpoint.isLinked = true;
    const { usedMs, bytes } = checkpoint;
    const conversation = thread.key.subarray(OWNER_BYTES);
    const mark = { usedMs, bytes, conversation, isLinked: true };
    this.#tables.marks.put(Buffer.from(name, "latin1"), encodeMark(mark));
    yield work.checkpoint;
  }

  *#statesOf(checkpoints: readonly KeptCheckpoint[]): IterableIterator<Uint8Array> {
    for (const checkpoint of checkpoints) {
      const state = this.#checkpoints.stateOf(checkpoint);
      if (state !== undefined) yield state;
    }
  }

  #drop(blob: Buffer, bytes: number): void {
    this.#tables.blobs.remove(blob);
    this.#tables.fresh.remove(blob);
    this.#deps.ledger.adjust({ blobs: -1, bytes: -costOf(bytes) });
  }

  #isFresh(blob: Buffer): boolean {
    const putMs = decodeFreshness(this.#tables.fresh.get(blob))?.putMs;
    return putMs !== undefined && putMs > this.#deps.nowMs - FRESH_MS;
  }
}
