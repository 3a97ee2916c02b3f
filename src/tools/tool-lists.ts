import type { ToolDefinition } from "../turn/turn.js";

const MAX_LISTS = 64;
/** The limit for all lists together, as JSON. The largest lists of clients have a few hundred thousand characters. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

const none: readonly ToolDefinition[] = [];

/** Makes equal lists of tools one object, so that anything derived from a list is computed once (turn/per-tool-list.ts). */
export class ToolLists {
  /** Lists by their JSON; the most recently used comes last. */
  readonly #known = new Map<string, readonly ToolDefinition[]>();
  #characters = 0;

  /** Returns the first list that is equal to this one. */
  same(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    if (tools.length === 0) return none;
    const json = JSON.stringify(tools);
    if (json.length > MAX_CHARACTERS) return tools;
    const same = this.#known.get(json) ?? tools;
    if (!this.#known.delete(json)) this.#characters += json.length;
    this.#known.set(json, same);
    this.#dropOldest();
    return same;
  }

  #dropOldest(): void {
    for (const json of this.#known.keys()) {
      if (this.#known.size <= MAX_LISTS && this.#characters <= MAX_CHARACTERS) return;
      this.#known.delete(json);
      this.#characters -= json.length;
    }
  }
}
