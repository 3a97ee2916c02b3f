/** The blobs of recent conversations, so that they need not be fetched again. Dropping one is always safe. */
export class BlobMemory {
  readonly #conversations = new Map<string, Map<string, Uint8Array>>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = 64 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get(conversation: string, key: string): Uint8Array | undefined {
    return this.#conversations.get(conversation)?.get(key);
  }

  put(conversation: string, key: string, data: Uint8Array): void {
    const blobs = this.#conversations.get(conversation) ?? new Map<string, Uint8Array>();
    // Re-inserting makes the conversation the youngest.
    this.#conversations.delete(conversation);
    this.#conversations.set(conversation, blobs);
    if (!blobs.has(key)) this.#bytes += data.byteLength;
    blobs.set(key, data);
    for (const [oldest, held] of this.#conversations) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#conversations.delete(oldest);
      for (const blob of held.values()) this.#bytes -= blob.byteLength;
    }
  }
}
