/** What several askers bring, one by one, for a single reader. */
export class Inbox<Item> {
  readonly #items: Item[] = [];
  #failure: { reason: unknown } | undefined;
  #waiting: { resolve(item: Item): void; reject(reason: unknown): void } | undefined;

  push(item: Item): void {
    if (this.#waiting === undefined) this.#items.push(item);
    else this.#waiting.resolve(item);
    this.#waiting = undefined;
  }

  /** Comes before everything that is still to be read. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  next(): Promise<Item> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }
}
