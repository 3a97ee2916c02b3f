import { hash } from "node:crypto";
import type { BlobStorage } from "../../backend.js";

/** Cursor keeps a conversation's content with the client and asks for it by its SHA-256. */
export class BlobStore {
  readonly #storage: BlobStorage;
  /** By id as latin1. Nothing but the messages of the run is held by these, and a run that has not paused holds them anyway. */
  readonly #makers = new Map<string, () => Uint8Array>();

  constructor(storage: BlobStorage) {
    this.#storage = storage;
  }

  /** `make` gives the same bytes whenever it is called: what is kept nowhere else is made again when Cursor asks for it. */
  put(make: () => Uint8Array): Uint8Array {
    const data = make();
    const id = hash("sha256", data, "buffer");
    this.#makers.set(id.toString("latin1"), make);
    this.#storage.put(id, data);
    return id;
  }

  /** Takes what the server hands over; false when the id is not the hash of the data. */
  accept(id: Uint8Array, data: Uint8Array): boolean {
    const isTrue = hash("sha256", data, "buffer").equals(id);
    if (isTrue) this.#storage.put(id, data);
    // An id without data refers to content that was handed over before: there is nothing to store, and nothing wrong.
    return isTrue || data.length === 0;
  }

  get(id: Uint8Array): Uint8Array | undefined {
    return this.#storage.get(id) ?? this.#makers.get(Buffer.from(id).toString("latin1"))?.();
  }

  /** For a run that waits for the client: it must not hold on to the whole conversation. */
  letGoOfMessages(): void {
    this.#makers.clear();
  }
}
