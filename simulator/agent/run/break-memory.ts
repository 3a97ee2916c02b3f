import { createHash } from "node:crypto";

/** Messages that are remembered; the oldest are forgotten. */
const MAX_MESSAGES = 1_000;

/** The directives with `once` that have been obeyed. A client that retries may do so in a new conversation, so the message counts. */
export class BreakMemory {
  readonly #seen = new Set<string>();

  /** Whether the directive at this position of this message has not been obeyed yet. From now on it has. */
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
