/** Something that tells when it has changed. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  /** Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
