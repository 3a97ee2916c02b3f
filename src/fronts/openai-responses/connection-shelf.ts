import type { Shelf } from "../../gateway/index.js";

/** Enough for a long conversation; then the oldest go, and the client has to send the whole conversation again. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** What is kept as long as one connection lasts, in memory alone. */
export class ConnectionShelf implements Shelf {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get(id: string): string | undefined {
    return this.#texts.get(id);
  }

  put(id: string, text: string): void {
    this.delete(id);
    this.#texts.set(id, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= MAX_CHARACTERS) break;
      this.delete(oldest);
    }
  }

  delete(id: string): boolean {
    this.#characters -= this.#texts.get(id)?.length ?? 0;
    return this.#texts.delete(id);
  }
}
