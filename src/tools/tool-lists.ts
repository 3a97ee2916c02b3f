import type { ToolDefinition } from "../turn/turn.js";

const MAX_LISTS = 64;
/** Of all lists together, as JSON. The largest that clients send have a few hundred thousand. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

const none: readonly ToolDefinition[] = [];

/** Makes equal lists of tools one object, so that what is made of a list is made once (turn/per-tool-list.ts). */
export class ToolLists {
  /** By their JSON; the one that was used last stands last. */
  readonly #known = new Map<string, readonly ToolDefinition[]>();
  #characters = 0;

  /** A list that is equal to this one, and the same for all that are. */
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
