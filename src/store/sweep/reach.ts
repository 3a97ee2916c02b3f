import { blobKey, holderKey, ownerOf, reachKey } from "../key.js";
import { followIds } from "../reachable.js";
import { decodeSize, encodeSize } from "../record.js";
import { blobWork, walkWork, work } from "../sweep-work.js";
import type { Tables } from "../tables.js";

/**
 * Which blobs the checkpoints of each conversation reach. Checkpoints along one conversation share nearly all of them, so the
 * books are kept by conversation: a checkpoint adds rows only for what no earlier one reached. A row says the same whoever
 * writes it, so two processes may keep these books at once. A `thread` is the key of one owner's conversation, and an id is 32
 * bytes as a latin1 string. What may take long is done in steps that yield the work they took.
 */
export class Reach {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  isHeld(blob: Buffer): boolean {
    for (const _ of this.#tables.holders.rows(blob)) return true;
    return false;
  }

  *reachedBy(thread: Buffer): Generator<number, Map<string, number>> {
    const reached = new Map<string, number>();
    for (const { key, value } of this.#tables.reach.rows(thread)) {
      reached.set(key.toString("latin1", thread.length), decodeSize(value));
      yield work.row;
    }
    return reached;
  }

  /**
   * Enters what the state reaches beyond what is known; a blob that a checkpoint reaches need not be kept for its freshness.
   * What is in `followed` is taken to be known with all that it names.
   */
  *link(
    thread: Buffer,
    { known, followed }: { known: Set<string>; followed: Set<string> },
    state: Uint8Array,
  ): Generator<number, undefined> {
    const { blobs, fresh, reach, holders } = this.#tables;
    let entering = 0;
    const steps = followIds(state, (name) => {
      if (followed.has(name)) return undefined;
      const id = Buffer.from(name, "latin1");
      const key = blobKey(ownerOf(thread), id);
      const blob = blobs.get(key);
      if (blob === undefined) return undefined;
      entering += blobWork(blob.length);
      fresh.remove(key);
      if (!known.has(name)) {
        reach.put(reachKey(thread, id), encodeSize(blob.length));
        holders.put(holderKey(thread, id), encodeSize(blob.length));
      }
      known.add(name);
      followed.add(name);
      return blob;
    });
    for (const walked of steps) {
      yield walkWork(walked) + entering;
      entering = 0;
    }
  }

  /** What none of the states reaches any more, with sizes. */
  *unreachedBy(thread: Buffer, states: Iterable<Uint8Array>): Generator<number, ReadonlyMap<string, number>> {
    const unreached = yield* this.reachedBy(thread);
    let entering = 0;
    for (const state of states) {
      if (unreached.size === 0) break;
      const steps = followIds(state, (name) => {
        if (!unreached.delete(name)) return undefined;
        const blob = this.#tables.blobs.get(blobKey(ownerOf(thread), Buffer.from(name, "latin1")));
        entering += blobWork(blob?.length ?? 0);
        return blob;
      });
      for (const walked of steps) {
        yield walkWork(walked) + entering;
        entering = 0;
      }
    }
    return unreached;
  }

  /** Takes one blob out of a conversation's reach. Returns its key when nobody holds it now. */
  letGo(thread: Buffer, name: string): Buffer | undefined {
    const id = Buffer.from(name, "latin1");
    this.#tables.reach.remove(reachKey(thread, id));
    this.#tables.holders.remove(holderKey(thread, id));
    const blob = blobKey(ownerOf(thread), id);
    return this.isHeld(blob) ? undefined : blob;
  }
}
