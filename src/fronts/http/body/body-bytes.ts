const SMALLEST_STEP_BYTES = 4 * 1024;
const LARGEST_STEP_BYTES = 1024 * 1024;

/**
 * The bytes of a body as they arrive. They are collected in one block that grows in place: keeping slices of one byte would
 * take a hundred times their size. The system gets the block back as soon as it is released, without waiting for the garbage
 * collector.
 */
export class BodyBytes {
  length = 0;
  readonly #maxBytes: number;
  /** Most bodies arrive in one piece, which is then used as it is. */
  #first: Buffer | undefined;
  #block: ArrayBuffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The caller must not push more than the maximum. */
  push(chunk: Buffer): void {
    if (this.length === 0) this.#first = chunk;
    else this.#append(chunk);
    this.length += chunk.length;
  }

  /** Valid until the bytes are released. */
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

  /** The block reserves its maximum, but only the used part takes memory. */
  #openBlock(): ArrayBuffer {
    const block = new ArrayBuffer(this.length, { maxByteLength: this.#maxBytes });
    if (this.#first !== undefined) new Uint8Array(block).set(this.#first);
    this.#first = undefined;
    return block;
  }
}
