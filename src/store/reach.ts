import { blobKey, holderKey, idBytes, ownerBytes, ownerOf, reachKey } from "./key.js";
import { followIds } from "./reachable.js";
import { decodeSize, encodeSize } from "./record.js";
import type { Tables } from "./tables.js";

/**
 * Which blobs the checkpoints of each conversation reach. Checkpoints along one conversation share nearly all of them, so the
 * books are kept by conversation: a checkpoint adds rows only for what no earlier one reached. A row says the same whoever
 * writes it, so two processes may keep these books at once. A `thread` is the key of one owner's conversation.
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

  /** Enters what the states reach; a blob that a checkpoint reaches need not be kept for its freshness. */
  link(thread: Buffer, states: Iterable<Uint8Array>): Followed {
    const { blobs, fresh, reach, holders } = this.#tables;
    const known = new Set<string>();
    for (const { key } of reach.rows(thread)) known.add(idOf(key));
    const followed = { blobs: 0, bytes: 0 };
    for (const state of states) {
      followIds(state, (name) => {
        if (known.has(name)) return undefined;
        const id = Buffer.from(name, "latin1");
        const key = blobKey(ownerOf(thread), id);
        const blob = blobs.get(key);
        if (blob === undefined) return undefined;
        known.add(name);
        followed.blobs++;
        followed.bytes += blob.length;
        fresh.remove(key);
        reach.put(reachKey(thread, id), encodeSize(blob.length));
        holders.put(holderKey(thread, id), encodeSize(blob.length));
        return blob;
      });
    }
    return followed;
  }

  /** Takes out what none of the states reaches any more. Tells the blobs that nobody holds now. */
  prune(thread: Buffer, states: Iterable<Uint8Array>): Pruned {
    const { blobs, reach } = this.#tables;
    const unreached = new Map<string, number>();
    for (const { key, value } of reach.rows(thread)) unreached.set(idOf(key), decodeSize(value));
    const followed = { blobs: 0, bytes: 0 };
    for (const state of states) {
      if (unreached.size === 0) break;
      followIds(state, (name) => {
        if (!unreached.delete(name)) return undefined;
        const blob = blobs.get(blobKey(ownerOf(thread), Buffer.from(name, "latin1")));
        followed.blobs++;
        followed.bytes += blob?.length ?? 0;
        return blob;
      });
    }
    return { unheld: this.#letGo(thread, unreached), followed };
  }

  #letGo(thread: Buffer, ids: ReadonlyMap<string, number>): UnheldBlob[] {
    const unheld: UnheldBlob[] = [];
    for (const [name, bytes] of ids) {
      const id = Buffer.from(name, "latin1");
      this.#tables.reach.remove(reachKey(thread, id));
      this.#tables.holders.remove(holderKey(thread, id));
      const blob = blobKey(ownerOf(thread), id);
      if (!this.isHeld(blob)) unheld.push({ blob, bytes });
    }
    return unheld;
  }
}

/** A blob by its key. */
export interface UnheldBlob {
  readonly blob: Buffer;
  readonly bytes: number;
}

/** How much was read. */
export interface Followed {
  readonly blobs: number;
  readonly bytes: number;
}

interface Pruned {
  readonly unheld: readonly UnheldBlob[];
  readonly followed: Followed;
}

const idStart = ownerBytes + 8;

function idOf(reachRow: Buffer): string {
  return reachRow.toString("latin1", idStart, idStart + idBytes);
}
