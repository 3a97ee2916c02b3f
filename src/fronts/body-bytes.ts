const FIRST_PAGE_BYTES = 4 * 1024;
const LARGEST_PAGE_BYTES = 1024 * 1024;

/**
 * The bytes of a body as they come. They are gathered in pages that grow with the body: a body in slices of one byte would
 * take a hundred times its size if each slice were kept, and large pages go back to the system when they are let go.
 */
export class BodyBytes {
  length = 0;
  readonly #full: Buffer[] = [];
  #page: Buffer | undefined;
  #used = 0;

  push(chunk: Buffer): void {
    if (this.length === 0) {
      // Most bodies come in one piece, which is then taken as it is.
      this.#page = chunk;
      this.#used = chunk.length;
    } else {
      this.#copy(chunk);
    }
    this.length += chunk.length;
  }

  /** All of them. Nothing is held here any more. */
  take(): Buffer {
    const last = this.#page?.subarray(0, this.#used) ?? Buffer.alloc(0);
    const whole = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last]);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#full.length = 0;
    this.#page = undefined;
    this.#used = 0;
    this.length = 0;
  }

  #copy(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const page = this.#page === undefined || this.#used === this.#page.length ? this.#turnPage() : this.#page;
      const copied = chunk.copy(page, this.#used, at);
      this.#used += copied;
      at += copied;
    }
  }

  #turnPage(): Buffer {
    if (this.#page !== undefined) this.#full.push(this.#page);
    const page = Buffer.allocUnsafeSlow(Math.min(LARGEST_PAGE_BYTES, Math.max(FIRST_PAGE_BYTES, this.length)));
    this.#page = page;
    this.#used = 0;
    return page;
  }
}
