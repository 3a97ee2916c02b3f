import type { View } from "./view.js";

/**
 * The ids of requests and the keys of their entries. Those of one transaction are one row, under the last of its keys: they are
 * written with every request and searched when somebody asks about one, which takes milliseconds.
 */
export class NewIds {
  /** Pieces of lines, with a line break before the first. */
  readonly #lines: string[] = ["\n"];
  #lastKey = "";

  add(id: string, key: string): void {
    this.#lines.push(id, "\t", key, "\n");
    if (key > this.#lastKey) this.#lastKey = key;
  }

  /** Writes the ids into the view. */
  finish(view: View): void {
    if (this.#lastKey !== "") view.put("ids", this.#lastKey, this.#lines.join(""));
  }
}

/** The key of the newest entry with this id. */
export function findKey(view: View, id: string): string | undefined {
  for (const { value } of view.range("ids", { isReverse: true })) {
    const key = keyIn(value, id);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** Takes out of a row what belongs to entries that are gone. Null if that is everything. */
export function withoutGone(view: View, value: string): string | null {
  const lines = value.split("\n").filter((line) => line !== "");
  const kept = lines.filter((line) => view.get("entries", line.slice(line.indexOf("\t") + 1)) !== undefined);
  return kept.length === 0 ? null : `\n${kept.join("\n")}\n`;
}

function keyIn(lines: string, id: string): string | undefined {
  const at = lines.lastIndexOf(`\n${id}\t`);
  if (at < 0) return undefined;
  const start = at + id.length + 2;
  return lines.slice(start, lines.indexOf("\n", start));
}
