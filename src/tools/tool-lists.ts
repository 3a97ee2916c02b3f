import type { ToolDefinition } from "../turn/turn.js";

type ToolList = readonly ToolDefinition[];

const MAX_LISTS = 64;
/** Of all lists together, as JSON. The largest that clients send have a few hundred thousand. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

const none: ToolList = [];

/** Makes equal lists of tools one object, so that what is made of a list is made once (turn/per-tool-list.ts). */
export class ToolLists {
  /** The one that was used last stands first. */
  readonly #known: { readonly tools: ToolList; readonly characters: number }[] = [];
  #characters = 0;

  /** A list that is equal to this one, and the same for all that are. */
  same(tools: ToolList): ToolList {
    if (tools.length === 0) return none;
    const at = this.#known.findIndex((known) => isSame(known.tools, tools));
    const [known] = at < 0 ? [] : this.#known.splice(at, 1);
    if (known === undefined) return this.#add(tools);
    this.#known.unshift(known);
    return known.tools;
  }

  #add(tools: ToolList): ToolList {
    const characters = JSON.stringify(tools).length;
    if (characters > MAX_CHARACTERS) return tools;
    this.#known.unshift({ tools, characters });
    this.#characters += characters;
    while (this.#known.length > MAX_LISTS || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#known.pop()?.characters ?? 0;
    }
    return tools;
  }
}

/** Of two JSON values, whether they would be written as the same text; much cheaper than to write them. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isObject(one) || !isObject(other) || Array.isArray(other)) return false;
  const names = Object.keys(one);
  const otherNames = Object.keys(other);
  if (names.length !== otherNames.length) return false;
  return names.every((name, at) => name === otherNames[at] && isSame(one[name], other[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
