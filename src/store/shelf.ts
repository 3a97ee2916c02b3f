import type { Row } from "./tables.js";

/** A table in memory, grouped by the beginning of its keys so that one group is found without a look at the others. */
export class Shelf<Value> {
  readonly #groupBytes: number;
  readonly #groups = new Map<string, Map<string, Value>>();
  #size = 0;

  constructor(groupBytes: number) {
    this.#groupBytes = groupBytes;
  }

  count(): number {
    return this.#size;
  }

  get(key: Buffer): Value | undefined {
    return this.#groups.get(this.#groupOf(key))?.get(key.toString("latin1"));
  }

  has(key: Buffer): boolean {
    return this.#groups.get(this.#groupOf(key))?.has(key.toString("latin1")) === true;
  }

  put(key: Buffer, value: Value): void {
    const name = this.#groupOf(key);
    const group = this.#groups.get(name) ?? new Map<string, Value>();
    this.#groups.set(name, group);
    this.#size -= group.size;
    group.set(key.toString("latin1"), value);
    this.#size += group.size;
  }

  remove(key: Buffer): void {
    const name = this.#groupOf(key);
    const group = this.#groups.get(name);
    if (group?.delete(key.toString("latin1")) !== true) return;
    this.#size--;
    if (group.size === 0) this.#groups.delete(name);
  }

  /** The rows of one group, or all of them for an empty prefix. */
  *rows(prefix: Buffer): IterableIterator<Row<Value>> {
    const groups = prefix.length === 0 ? this.#groups.values() : [this.#groups.get(prefix.toString("latin1"))];
    for (const group of groups) {
      for (const [key, value] of group ?? []) yield { key: Buffer.from(key, "latin1"), value };
    }
  }

  #groupOf(key: Buffer): string {
    return key.toString("latin1", 0, this.#groupBytes);
  }
}
