import type { Clock } from "../clock.js";

interface Entry<Content> {
  content: Content;
  bytes: number;
  atMs: number;
}

/** The size of an entry without its content, so that the number of empty entries is bounded too. */
const ENTRY_BYTES = 256;

/** A cache of content that was loaded in the last minutes. The least recently used entry is dropped first. */
export class RecentContent<Content> {
  readonly #clock: Pick<Clock, "now">;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #entries = new Map<string, Entry<Content>>();
  #bytes = 0;

  constructor(clock: Pick<Clock, "now">, { maxBytes, maxAgeMs }: { maxBytes: number; maxAgeMs: number }) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
  }

  get(key: string): Content | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#clock.now() - entry.atMs < this.#maxAgeMs) this.#entries.set(key, entry);
    else this.#bytes -= entry.bytes;
    return this.#entries.get(key)?.content;
  }

  put(key: string, content: Content, contentBytes: number): void {
    const bytes = contentBytes + 2 * key.length + ENTRY_BYTES;
    this.#bytes += bytes - (this.#entries.get(key)?.bytes ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { content, bytes, atMs: this.#clock.now() });
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
