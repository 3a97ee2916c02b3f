import { everything, ownerBytes } from "../key.js";
import { decodeFreshness, encodeMark, present } from "../record.js";
import type { Refused } from "../refused.js";
import { work } from "../sweep-work.js";
import type { Tables } from "../tables.js";
import { costOf, type Ledger } from "../totals.js";
import type { KeptCheckpoint, KeptCheckpoints, Thread } from "./kept-checkpoints.js";
import { Reach } from "./reach.js";

/** A run may be under way whose checkpoint is still to come: an hour, and the minute within which a blob put again is not noted. */
const freshMs = 61 * 60 * 1000;
/** While there is too much, so that runs which never came to a checkpoint cannot fill a store for an hour. */
const crowdedFreshMs = 5 * 60 * 1000;

export interface BlobReleaseDeps {
  readonly tables: Tables;
  readonly ledger: Ledger;
  readonly refused: Refused;
  readonly nowMs: number;
}

/** Lets blobs go that no checkpoint reaches. A blob may go only when all who reach it are known, so linking comes first. */
export class BlobRelease {
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

  /** Until the blobs of every checkpoint are in the books, also of those that came meanwhile. */
  *linkAll(): Generator<number, undefined> {
    const { unlinked, loose } = this.#checkpoints;
    for (const thread of unlinked) {
      unlinked.delete(thread);
      const known = new Set((yield* this.#reach.reachedBy(thread.key)).keys());
      // In a loose conversation, letting go or entering may have been broken off between a blob and those that it names.
      const books = { known, followed: loose.has(thread) ? new Set<string>() : known };
      this.#tables.loose.put(thread.key, present);
      for (const checkpoint of thread.checkpoints) if (!checkpoint.isLinked) yield* this.#link(checkpoint, books);
      if (!loose.has(thread)) this.#tables.loose.remove(thread.key);
    }
  }

  *settleLoose(): Generator<number, undefined> {
    for (const thread of this.#checkpoints.loose) yield* this.settle(thread);
  }

  /** Lets go of the blobs that only dropped checkpoints reached. The newest checkpoint nearly always reaches all the rest. */
  *settle(thread: Thread): Generator<number, undefined> {
    yield* this.linkAll(); // only what is in the books is followed
    const { changes } = thread;
    const newestFirst = [...thread.checkpoints].sort((a, b) => b.usedMs - a.usedMs || b.bytes - a.bytes);
    const unreached = yield* this.#reach.unreachedBy(thread.key, this.#statesOf(newestFirst));
    for (const [id, bytes] of unreached) {
      yield* this.linkAll(); // a checkpoint of another conversation that has just come may reach it
      if (thread.changes !== changes || !this.#checkpoints.isKnown(thread)) return; // a later look will know what a new one of its own reaches
      const blob = this.#reach.letGo(thread.key, id);
      if (blob !== undefined && !this.#isFresh(blob)) this.#drop(blob, bytes);
      yield work.blob;
    }
    if (thread.changes !== changes || !this.#checkpoints.isKnown(thread)) return;
    this.#tables.loose.remove(thread.key);
    this.#checkpoints.loose.delete(thread);
    if (thread.checkpoints.size === 0) this.#tables.threads.remove(thread.key);
  }

  /** Drops what was put for a checkpoint that has never come. */
  *dropUnreached(isCrowded: boolean): Generator<number, undefined> {
    const { nowMs, refused } = this.#deps;
    const keptMs = isCrowded ? crowdedFreshMs : freshMs;
    for (const { key, value } of this.#tables.fresh.rows(everything)) {
      const freshness = decodeFreshness(value);
      if (freshness === undefined || freshness.putMs <= nowMs - keptMs) {
        if (this.#reach.isHeld(key)) this.#tables.fresh.remove(key);
        else {
          if (this.#isFresh(key)) refused.add(key); // no checkpoint that is still to come may count on it
          this.#drop(key, freshness?.bytes ?? 0);
        }
        yield work.blob;
      }
      yield work.row;
      yield* this.linkAll(); // a checkpoint that has just come may reach what is next
    }
  }

  *#link(
    checkpoint: KeptCheckpoint,
    books: { known: Set<string>; followed: Set<string> },
  ): Generator<number, undefined> {
    const { name, thread } = checkpoint;
    const state = this.#checkpoints.stateOf(checkpoint);
    if (state === undefined) {
      this.#checkpoints.drop(checkpoint);
      return;
    }
    yield* this.#reach.link(thread.key, books, state);
    if (!this.#checkpoints.has(checkpoint)) return;
    checkpoint.isLinked = true;
    const { usedMs, bytes } = checkpoint;
    const conversation = thread.key.subarray(ownerBytes);
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
    return putMs !== undefined && putMs > this.#deps.nowMs - freshMs;
  }
}
