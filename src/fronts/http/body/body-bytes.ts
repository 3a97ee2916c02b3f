const SMALLEST_STEP_BYTES = 4 * 1024;
const LARGEST_STEP_BYTES = 1024 * 1024;

/**
 * The bytes of a body as they come. They are gathered in one block that grows in place: slices of one byte would take a hundred
 * times their size if each were kept. The system gets the block back in the moment in which it is let go; memory that waits for
 * the garbage collector would be held by nobody and missing all the same.
 */
export class BodyBytes {
  length = 0;
  readonly #maxBytes: number;
  /** Most bodies come in one piece, which is then taken as it is. */
  #first: Buffer | undefined;
  #block: ArrayBuffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The caller sees to it that no more than the most comes. */
  push(chunk: Buffer): void {
    if (this.length === 0) this.#first = chunk;
    else this.#append(chunk);
    this.length += chunk.length;
  }

  /** Good until the bytes are let go. */
  get whole(): Buffer {
    if (this.#block !== undefined) return Buffer.from(this.#block, 0, this.length);
    return this.#first ?? Buffer.alloc(0);
  }

  letGo(): void {
    this.#block?.resize(0);
    this.#block = undefined;
    this.#first = undefined;
    this.length = 0;
  }

  #append(chunk: Buffer): void {
    this.#block ??= this.#openBlock();
    const wanted = this.length + chunk.length;
    const { byteLength } = this.#block;
    if (wanted > byteLength) {
      const step = Math.min(Math.max(byteLength, SMALLEST_STEP_BYTES), LARGEST_STEP_BYTES);
      this.#block.resize(Math.min(Math.max(wanted, byteLength + step), this.#maxBytes));
    }
    new Uint8Array(this.#block, this.length).set(chunk);
  }

  /** Only what is used of the most that it may become is really there. */
  #openBlock(): ArrayBuffer {
    const block = new ArrayBuffer(this.length, { maxByteLength: this.#maxBytes });
    if (this.#first !== undefined) new Uint8Array(block).set(this.#first);
    this.#first = undefined;
    return block;
  }
}
