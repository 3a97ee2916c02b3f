import type { FoundRow, TurnStore } from "./lineage-store.js";

/** Enough for the notes of 256 waiting runs, some of them large. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
const MAX_HELD_ROWS = 10_000;
const MAX_HELD_MS = 60 * 60 * 1000;

interface Held extends FoundRow {
  readonly heldMs: number;
}

/** A store that holds rows in memory for a while if it could not keep them because it or its disk is full. */
export function withOverflow(store: TurnStore, now: () => number, maxBytes = MAX_HELD_BYTES): TurnStore {
  /** By owner and name, oldest first. */
  const held = new Map<string, Held>();
  let heldBytes = 0;
  const letGo = (key: string): boolean => {
    const found = held.get(key);
    if (found !== undefined) heldBytes -= bytesOf(found);
    return held.delete(key);
  };
  const hold = (key: string, row: Held): void => {
    letGo(key);
    held.set(key, row);
    heldBytes += bytesOf(row);
    for (const [oldest, { heldMs }] of held) {
      const isWithin = held.size <= MAX_HELD_ROWS && heldBytes <= maxBytes;
      if (isWithin && heldMs > now() - MAX_HELD_MS) break;
      letGo(oldest);
    }
  };
  return {
    getBlob: (owner, lineage, id) => store.getBlob(owner, lineage, id),
    putBlob: (owner, lineage, id, data) => store.putBlob(owner, lineage, id, data),
    has: (owner, name) => held.has(keyOf(owner, name)) || store.has(owner, name),
    lineageAt: (owner, name) => store.lineageAt(owner, name),
    get(owner, name) {
      // The store may have an older row under the same name.
      return (held.size > 0 ? held.get(keyOf(owner, name)) : undefined) ?? store.get(owner, name);
    },
    put(owner, lineage, row) {
      const isKept = store.put(owner, lineage, row);
      const { names, text, bytes = new Uint8Array() } = row;
      const isHeld = !isKept && bytesOf({ text, bytes }) <= maxBytes / 2; // one row must not push out all others
      for (const name of names) {
        if (isHeld) hold(keyOf(owner, name), { lineage, text, bytes, heldMs: now() });
        else if (held.size > 0) letGo(keyOf(owner, name));
      }
      return isKept || isHeld;
    },
    remove(owner, name) {
      const wasHeld = letGo(keyOf(owner, name));
      return store.remove(owner, name) || wasHeld;
    },
    flush: () => store.flush(),
  };
}

function bytesOf({ text, bytes }: Pick<FoundRow, "text" | "bytes">): number {
  return text.length + bytes.length;
}

function keyOf(owner: string, name: string): string {
  return `${owner} ${name}`;
}
