import { createHash } from "node:crypto";
import type { BlobShelf } from "../backend.js";

/** Cursor keeps a conversation's content with the client and asks for it by its SHA-256. */
export class BlobStore {
  readonly #shelf: BlobShelf;

  constructor(shelf: BlobShelf) {
    this.#shelf = shelf;
  }

  put(data: Uint8Array): Uint8Array {
    const id = createHash("sha256").update(data).digest();
    this.#shelf.put(id, data);
    return id;
  }

  /** Takes what the server hands over; false when the id is not the hash of the data. */
  accept(id: Uint8Array, data: Uint8Array): boolean {
    const isTrue = createHash("sha256").update(data).digest().equals(id);
    if (isTrue) this.#shelf.put(id, data);
    return isTrue;
  }

  get(id: Uint8Array): Uint8Array | undefined {
    return this.#shelf.get(id);
  }
}
