const SMALLEST_STEP_BYTES = 4 * 1024;
const LARGEST_STEP_BYTES = 1024 * 1024;
/** Up to this size, a block costs more than reading the body, and little memory waits for the garbage collector. */
const MAX_PLAIN_BYTES = 256 * 1024;

/**
 * The bytes of a body as they arrive. They are collected in one piece, because keeping slices of one byte would take a hundred
 * times their size: in a plain buffer at first, and beyond that in a block that grows in place. The system gets the block back as
 * soon as it is released, without waiting for the garbage collector.
 */
export class BodyBytes {
  length = 0;
  readonly #maxBytes: number;
  /** Most bodies arrive in one chunk, which is then used as it is. */
  #plain: Buffer = Buffer.alloc(0);
  #block: ArrayBuffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The caller must not push more than the maximum. */
  push(chunk: Buffer): void {
    if (this.length === 0) this.#plain = chunk;
    else if (this.length + chunk.length <= MAX_PLAIN_BYTES) this.#appendPlain(chunk);
    else this.#append(chunk);
    this.length += chunk.length;
  }

  /** Valid until the bytes are released. */
  get whole(): Buffer {
    if (this.#block !== undefined) return Buffer.from(this.#block, 0, this.length);
    return this.#plain.length === this.length ? this.#plain : this.#plain.subarray(0, this.length);
  }

  letGo(): void {
    this.#block?.resize(0);
    this.#block = undefined;
    this.#plain = Buffer.alloc(0);
    this.length = 0;
  }

  #appendPlain(chunk: Buffer): void {
    const wanted = this.length + chunk.length;
    if (wanted > this.#plain.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(2 * wanted, this.#maxBytes, MAX_PLAIN_BYTES));
      grown.set(this.whole);
      this.#plain = grown;
    }
    this.#plain.set(chunk, this.length);
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
    new Uint8Array(block).set(this.whole);
    this.#plain = Buffer.alloc(0);
    return block;
  }
}
