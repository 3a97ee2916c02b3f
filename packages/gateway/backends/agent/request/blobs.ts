import { hash } from "node:crypto";
import type { BlobStorage } from "../../backend.js";

/** Cursor keeps a conversation's content with the client and requests it by its SHA-256 (docs/protocol/wire.md, blobs). */
export class BlobStore {
  readonly #storage: BlobStorage;
  /** By id as base64url. They hold only the run's messages, which a run that has not paused keeps anyway. */
  readonly #makers = new Map<string, () => Uint8Array>();

  constructor(storage: BlobStorage) {
    this.#storage = storage;
  }

  /** `make` must always return the same bytes: content that is stored nowhere else is regenerated on request. */
  put(make: () => Uint8Array): Uint8Array {
    const data = make();
    // A hash as text costs half as much as one in a buffer of its own.
    const name = hash("sha256", data, "base64url");
    const id = Buffer.from(name, "base64url");
    this.#makers.set(name, make);
    this.#storage.put(id, data);
    return id;
  }

  /** Stores a blob from the server. Returns false when the id is not the hash of the data. */
  accept(id: Uint8Array, data: Uint8Array): boolean {
    const isTrue = hash("sha256", data, "buffer").equals(id);
    // The data lies in a buffer that the next message may overwrite.
    if (isTrue) this.#storage.put(id, Buffer.from(data));
    // An id without data means content that the server sent before (docs/protocol/live-behaviour.md).
    return isTrue || data.length === 0;
  }

  get(id: Uint8Array): Uint8Array | undefined {
    return this.#storage.get(id) ?? this.#makers.get(Buffer.from(id).toString("base64url"))?.();
  }

  /** Drops the messages of a run that waits for the client: it must not keep the whole conversation in memory. */
  letGoOfMessages(): void {
    this.#makers.clear();
  }
}
