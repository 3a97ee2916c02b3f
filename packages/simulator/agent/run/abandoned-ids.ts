import { Code, ConnectError } from "@connectrpc/connect";

/** Ids kept; the oldest are evicted. */
const MAX_IDS = 1_000;

/** The conversations in which a run has ended with an unanswered call. */
export class AbandonedIds {
  readonly #ids = new Set<string>();

  add(conversationId: string): void {
    this.#ids.add(conversationId);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MAX_IDS) break;
      this.#ids.delete(oldest);
    }
  }

  /** @throws ConnectError for one of these conversations, which Cursor refuses with a bare code. */
  refuse(conversationId: string): void {
    if (this.#ids.has(conversationId)) throw new ConnectError("Error", Code.ResourceExhausted);
  }
}
