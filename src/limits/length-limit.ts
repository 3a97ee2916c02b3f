import type { Batch, Step, TurnEvent } from "../turn/event.js";
import { rewriteBatch } from "../turn/rewrite-batch.js";

/**
 * Cursor does not report tokens while a reply is streamed: its token deltas do not add up to any figure that it reports. So we
 * count characters (UTF-16 units). Elsewhere we assume four per token; here it is five, which prose hardly exceeds, because a
 * reply that is shorter than its limit must not be cut. Scripts with more tokens per character are cut late.
 */
const CHARACTERS_PER_TOKEN = 5;

/**
 * Ends a reply once it has this many tokens of text and arguments. Thinking does not count: a client that wants a title in twenty
 * tokens often does not see the thinking, and would get nothing. A call that has begun is sent whole, and then the reply ends at
 * its calls as always. Later calls stay with the run for the next reply.
 */
export class LengthLimit implements Step {
  /** Whether the limit is reached. The batch that reaches it is the last. */
  hasEnded = false;
  #left: number;
  /** Whether the client was sent a call. */
  #hasCalled = false;
  readonly #unsent = new Set<string>();

  constructor(maxTokens: number) {
    this.#left = maxTokens * CHARACTERS_PER_TOKEN;
  }

  push(batch: Batch): Batch {
    const passed = rewriteBatch(batch, this.#rewritten);
    return this.hasEnded ? [...passed, { type: "finish", reason: "length" }] : passed;
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    // If the turn ended in the rest of the batch, its usage is known, so it is kept.
    if (this.hasEnded) return event.type === "usage" ? "keep" : [];
    switch (event.type) {
      case "text":
        return this.#words(event);
      case "thinking":
        return this.#left > 0 ? "keep" : [];
      case "call":
        if (this.#left > 0) {
          this.#hasCalled ||= event.runs === "client";
          return "keep";
        }
        this.hasEnded = !this.#hasCalled;
        this.#unsent.add(event.id);
        return [];
      case "call-input":
        if (this.#unsent.has(event.id)) return [];
        this.#left = Math.max(0, this.#left - event.delta.length);
        return "keep";
      case "call-end":
      case "call-result":
        return this.#unsent.has(event.id) ? [] : "keep";
      case "usage":
      case "checkpoint":
      case "finish":
        return "keep";
    }
  };

  #words(event: Extract<TurnEvent, { type: "text" }>): Batch | "keep" {
    const { delta } = event;
    if (delta.length <= this.#left) {
      this.#left -= delta.length;
      return "keep";
    }
    const end = isPairAt(delta, this.#left - 1) ? this.#left + 1 : this.#left;
    this.#left = 0;
    this.hasEnded = !this.#hasCalled;
    return end === 0 ? [] : [{ ...event, delta: delta.slice(0, end) }];
  }
}

/** Whether a surrogate pair begins there. */
function isPairAt(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}
