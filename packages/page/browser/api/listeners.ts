/** A source of change notifications. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  /** Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
