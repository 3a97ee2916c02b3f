/** Something that tells when it has changed. */
export interface Changing {
  /** Returns the function that ends it. */
  subscribe(listener: () => void): () => void;
}

export class Listeners implements Changing {
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
