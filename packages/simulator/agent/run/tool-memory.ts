import type { Tool } from "../../model/tools.js";

/** Conversations kept; the oldest are evicted. */
const MAX_CONVERSATIONS = 1_000;

/** The tools of the first run of each conversation. */
export class ToolMemory {
  readonly #first = new Map<string, readonly Tool[]>();

  /** The tools that the model is offered: those of this run or, if they are stale, those of the first. */
  offered(conversation: string, tools: readonly Tool[], areStale: boolean): readonly Tool[] {
    if (!areStale) return tools;
    const first = this.#first.get(conversation);
    if (first !== undefined) return first;
    this.#first.set(conversation, tools);
    for (const oldest of this.#first.keys()) {
      if (this.#first.size <= MAX_CONVERSATIONS) break;
      this.#first.delete(oldest);
    }
    return tools;
  }
}
