import { copyOf, isHashOf } from "./key.js";
import type { TurnStore } from "./store.js";

/**
 * How much is held in memory of what the store refused lately. The largest request names about 64 MiB (a body of 32 MiB, whose text
 * is in two kinds of blobs), so there is room for two of them, or for 256 waiting runs with half a MiB each. Anything beyond that
 * makes replies cold, but no turn fails: a run makes its blobs again from its messages, or starts again from the transcript.
 */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
/** The time for which a store keeps blobs that no checkpoint names. */
const MAX_HELD_MS = 60 * 60 * 1000;

interface Held {
  readonly data: Uint8Array;
  readonly heldMs: number;
}

/** A store that also holds, for a while, the blobs and notes that it could not keep because it or its disk is full. */
export function withOverflow(store: TurnStore, now: () => number, maxBytes = MAX_HELD_BYTES): TurnStore {
  /** Oldest first. */
  const held = new Map<string, Held>();
  let heldBytes = 0;
  const letGo = (nameOf: () => string): void => {
    if (held.size === 0) return;
    const name = nameOf();
    heldBytes -= held.get(name)?.data.length ?? 0;
    held.delete(name);
  };
  const hold = (name: string, data: Uint8Array): boolean => {
    letGo(() => name);
    if (data.length > maxBytes / 2) return false; // one record must not push out all others
    held.set(name, { data: copyOf(data), heldMs: now() });
    heldBytes += data.length;
    for (const [oldest, { heldMs }] of held) {
      if (heldBytes <= maxBytes && heldMs > now() - MAX_HELD_MS) break;
      letGo(() => oldest);
    }
    return true;
  };
  return {
    getBlob(owner, id) {
      const kept = store.getBlob(owner, id);
      return kept === undefined && held.size > 0 ? held.get(blobName(owner, id))?.data : kept;
    },
    putBlob(owner, id, data, options = {}) {
      const isKept = store.putBlob(owner, id, data, options);
      if (isKept) letGo(() => blobName(owner, id));
      return isKept || ((options.isHashed || isHashOf(id, data)) && hold(blobName(owner, id), data));
    },
    getNote(owner, key) {
      // The store may have an older note under the same key.
      const found = held.size > 0 ? held.get(noteName(owner, key)) : undefined;
      return found === undefined ? store.getNote(owner, key) : Buffer.from(found.data).toString("utf8");
    },
    putNote(owner, key, value) {
      const isKept = store.putNote(owner, key, value);
      if (isKept) letGo(() => noteName(owner, key));
      return isKept || hold(noteName(owner, key), Buffer.from(value));
    },
    deleteNote(owner, key) {
      letGo(() => noteName(owner, key));
      store.deleteNote(owner, key);
    },
    getCheckpoint: (owner, key) => store.getCheckpoint(owner, key),
    putCheckpoint: (owner, key, checkpoint) => store.putCheckpoint(owner, key, checkpoint),
    flush: () => store.flush(),
  };
}

function blobName(owner: string, id: Uint8Array): string {
  return `blob ${owner} ${Buffer.from(id).toString("hex")}`;
}

function noteName(owner: string, key: string): string {
  return `note ${owner} ${key}`;
}
