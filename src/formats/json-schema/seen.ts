/** The parts of a value that some rule has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  readonly #properties = new Set<string>();
  readonly #items = new Set<number>();
  #itemsBefore = 0;
  #hasAllProperties = false;

  addProperty(name: string): void {
    this.#properties.add(name);
  }

  addAllProperties(): void {
    this.#hasAllProperties = true;
  }

  addItem(index: number): void {
    this.#items.add(index);
  }

  addItemsBefore(end: number): void {
    this.#itemsBefore = Math.max(this.#itemsBefore, end);
  }

  add(other: Seen): void {
    for (const name of other.#properties) this.#properties.add(name);
    for (const index of other.#items) this.#items.add(index);
    this.#hasAllProperties ||= other.#hasAllProperties;
    this.addItemsBefore(other.#itemsBefore);
  }

  hasProperty(name: string): boolean {
    return this.#hasAllProperties || this.#properties.has(name);
  }

  hasItem(index: number): boolean {
    return index < this.#itemsBefore || this.#items.has(index);
  }
}
