import { Code, ConnectError } from "@connectrpc/connect";
import type { Execs } from "../channels/execs.js";

/** Ids kept; the oldest are evicted. */
const MAX_IDS = 1_000;

type Asking = Pick<Execs, "hasOpenCall">;

/** The conversations in which a run has ended, or another has begun, while a call was unanswered. */
export class AbandonedIds {
  readonly #ids = new Set<string>();
  /** The open runs of each conversation. */
  readonly #runs = new Map<string, readonly Asking[]>();

  begin(conversationId: string, run: Asking): void {
    const others = this.#runs.get(conversationId) ?? [];
    if (others.some(({ hasOpenCall }) => hasOpenCall)) this.#add(conversationId);
    this.#runs.set(conversationId, [...others, run]);
  }

  end(conversationId: string, run: Asking): void {
    if (run.hasOpenCall) this.#add(conversationId);
    const others = (this.#runs.get(conversationId) ?? []).filter((other) => other !== run);
    if (others.length > 0) this.#runs.set(conversationId, others);
    else this.#runs.delete(conversationId);
  }

  /** @throws ConnectError for one of these conversations, which Cursor refuses with a bare code. */
  refuse(conversationId: string): void {
    if (this.#ids.has(conversationId)) throw new ConnectError("Error", Code.ResourceExhausted);
  }

  #add(conversationId: string): void {
    this.#ids.add(conversationId);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MAX_IDS) break;
      this.#ids.delete(oldest);
    }
  }
}
