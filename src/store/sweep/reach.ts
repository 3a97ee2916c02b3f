import { blobKey, holderKey, ownerOf, reachKey } from "../key.js";
import { followIds } from "../reachable.js";
import { decodeSize, encodeSize } from "../record.js";
import { blobWork, walkWork, work } from "../sweep-work.js";
import type { Tables } from "../tables.js";

/**
 * Records which blobs the checkpoints of each conversation reach. These share nearly all blobs, so a checkpoint adds rows only for
 * blobs that no earlier one reached. A row is the same whoever writes it, so two processes may write at once. A `thread` is the
 * key of one owner's conversation, an id is 32 bytes as a latin1 string. Long work is done in steps that yield the work they took.
 */
export class Reach {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  isHeld(blob: Buffer): boolean {
    for (const row of this.#tables.holders.rows(blob)) if (row !== undefined) return true;
    return false;
  }

  *reachedBy(thread: Buffer): Generator<number, Map<string, number>> {
    const reached = new Map<string, number>();
    for (const row of this.#tables.reach.rows(thread)) {
      if (row !== undefined) reached.set(row.key.toString("latin1", thread.length), decodeSize(row.value));
      yield work.row;
    }
    return reached;
  }

  /**
   * Records the blobs that the state reaches beyond those in `known`. The freshness rows of reached blobs are removed, because they
   * are kept anyway. Blobs in `followed` are not followed again.
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

  /** The blobs that none of the states reaches any more, with sizes. */
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

  /** Removes one blob from a conversation. Returns its key when no other conversation reaches it. */
  letGo(thread: Buffer, name: string): Buffer | undefined {
    const id = Buffer.from(name, "latin1");
    this.#tables.reach.remove(reachKey(thread, id));
    this.#tables.holders.remove(holderKey(thread, id));
    const blob = blobKey(ownerOf(thread), id);
    return this.isHeld(blob) ? undefined : blob;
  }
}
