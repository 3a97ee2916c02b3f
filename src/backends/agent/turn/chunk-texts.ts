/** V8 copies a substring of up to this length. A longer one would keep the copy of the whole chunk in memory. */
const MAX_CUT_BYTES = 12;
/** Larger chunks hold something else than many short texts. */
const MAX_COPIED_BYTES = 64 * 1024;

/**
 * Decodes the texts of one chunk after another. Node takes about 100 ns for a text, however short it is, and a fast model's chunk
 * holds many: from the second on, short ASCII texts are cut out of one copy of the chunk in a third of that time.
 */
export class ChunkTexts {
  #chunk: Buffer | undefined;
  #copy = "";

  /** The UTF-8 text of `bytes` from `start` to `end`. */
  decode(bytes: Buffer, start: number, end: number): string {
    if (bytes !== this.#chunk) {
      this.#chunk = bytes;
      this.#copy = "";
      return bytes.toString("utf8", start, end);
    }
    const isCut = end - start <= MAX_CUT_BYTES && bytes.length <= MAX_COPIED_BYTES && isAscii(bytes, start, end);
    if (!isCut) return bytes.toString("utf8", start, end);
    if (this.#copy === "") this.#copy = bytes.toString("latin1");
    return this.#copy.slice(start, end);
  }

  /** Lets go of the chunk: a run that waits must not keep it in memory, and its buffer may be used again. */
  release(): void {
    this.#chunk = undefined;
    this.#copy = "";
  }
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
}
