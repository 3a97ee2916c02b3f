import type { TextStore } from "../../core/index.js";

/** Enough for a long conversation. Beyond it the oldest replies are evicted, and the client has to send everything again. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** The limit of all connections together. */
const MAX_TOTAL_CHARACTERS = 32 * 1024 * 1024;

interface Kept {
  readonly store: ConnectionStore;
  readonly id: string;
  readonly text: string;
}

export class ConnectionStores {
  /** The oldest come first. */
  readonly #kept = new Set<Kept>();
  #characters = 0;

  open(): ConnectionStore {
    return new ConnectionStore(this);
  }

  add(kept: Kept): void {
    this.#kept.add(kept);
    this.#characters += kept.text.length;
    for (const { store, id } of this.#kept) {
      if (this.#characters <= MAX_TOTAL_CHARACTERS) break;
      store.delete(id);
    }
  }

  remove(kept: Kept): void {
    if (this.#kept.delete(kept)) this.#characters -= kept.text.length;
  }
}

export class ConnectionStore implements TextStore {
  readonly #stores: ConnectionStores;
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(stores: ConnectionStores) {
    this.#stores = stores;
  }

  get(id: string): string | undefined {
    return this.#kept.get(id)?.text;
  }

  put(id: string, text: string): void {
    this.delete(id);
    const kept = { store: this, id, text };
    this.#kept.set(id, kept);
    this.#characters += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= MAX_CHARACTERS) break;
      this.delete(oldest);
    }
    if (this.#kept.has(id)) this.#stores.add(kept);
  }

  delete(id: string): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined) return false;
    this.#kept.delete(id);
    this.#characters -= kept.text.length;
    this.#stores.remove(kept);
    return true;
  }

  close(): void {
    for (const id of this.#kept.keys()) this.delete(id);
  }
}
