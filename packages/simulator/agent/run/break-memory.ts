import { createHash } from "node:crypto";

/** Entries kept; the oldest are evicted. */
const MAX_MESSAGES = 1_000;

/** The `once` directives already obeyed, by message: a retry may come in a new conversation. */
export class BreakMemory {
  readonly #seen = new Set<string>();

  /** Returns whether this is the first time for the directive at this position of this message, and records it. */
  isFirstTime(message: string, at: number): boolean {
    const key = createHash("sha256").update(`${at} ${message}`).digest("base64");
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MAX_MESSAGES) break;
      this.#seen.delete(oldest);
    }
    return true;
  }
}
