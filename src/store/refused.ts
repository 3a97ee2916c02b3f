import { blobKey } from "./key.js";
import { followIds } from "./reachable.js";
import type { Tables } from "./tables.js";

const MAX_REFUSED = 10_000;
const REMEMBER_MS = 60 * 60 * 1000;

/** Remembers blobs that were not stored or were dropped early, so that no checkpoint is kept without them. Costs nothing while empty. */
export class Refused {
  readonly #tables: Tables;
  readonly #now: () => number;
  /** Times by key, the oldest first. */
  readonly #blobs = new Map<string, number>();

  constructor(tables: Tables, now: () => number) {
    this.#tables = tables;
    this.#now = now;
  }

  add(blob: Buffer): void {
    if (this.#blobs.size >= MAX_REFUSED) this.#blobs.clear();
    this.#blobs.set(blob.toString("latin1"), this.#now());
  }

  delete(blob: Buffer): void {
    if (this.#blobs.size > 0) this.#blobs.delete(blob.toString("latin1"));
  }

  isNamedBy(owner: Buffer, state: Uint8Array): boolean {
    this.#forgetOld();
    if (this.#blobs.size === 0) return false;
    const seen = new Set<string>();
    let isNamed = false;
    const steps = followIds(state, (id) => {
      if (seen.has(id)) return undefined;
      seen.add(id);
      const blob = blobKey(owner, Buffer.from(id, "latin1"));
      isNamed ||= this.#blobs.has(blob.toString("latin1"));
      return this.#tables.blobs.get(blob);
    });
    for (const _ of steps) if (isNamed) return true;
    return false;
  }

  #forgetOld(): void {
    for (const [blob, refusedMs] of this.#blobs) {
      if (refusedMs > this.#now() - REMEMBER_MS) return;
      this.#blobs.delete(blob);
    }
  }
}
