import { createHash } from "node:crypto";

/** Content by its SHA-256. Cursor keeps a conversation's content with the client and asks for it by this id. */
export class BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  put(data: Uint8Array): Uint8Array {
    const id = createHash("sha256").update(data).digest();
    this.#blobs.set(id.toString("hex"), data);
    return id;
  }

  /** Takes what the server hands over; false when the id is not the hash of the data. */
  accept(id: Uint8Array, data: Uint8Array): boolean {
    const isTrue = createHash("sha256").update(data).digest().equals(id);
    if (isTrue) this.#blobs.set(Buffer.from(id).toString("hex"), data);
    return isTrue;
  }

  get(id: Uint8Array): Uint8Array | undefined {
    return this.#blobs.get(Buffer.from(id).toString("hex"));
  }
}
