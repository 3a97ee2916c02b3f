const FIRST_BYTES = 16 * 1024;
/** A larger buffer is given back when what needed it has been written. */
const MAX_KEPT_BYTES = 64 * 1024;
/** The longest form of a character in a JSON text: an escape. */
const MAX_CHARACTER_BYTES = 6;
const MAX_NUMBER_BYTES = 32;
const ZERO = 48;
const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const DELETE = 127;

/**
 * Writes JSON lists into a buffer that is used again and again. A request is written down twice on its way, and texts that are made
 * for that and thrown away would be a large part of what it allocates.
 */
export class JsonBytes {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;
  /** Whether the next value is the first of its list. */
  #isFirst = true;

  /** What was written since `clear`. It is overwritten after the next one. */
  get bytes(): Buffer {
    return this.#buffer;
  }

  get length(): number {
    return this.#at;
  }

  clear(): void {
    this.#at = 0;
    if (this.#buffer.length > MAX_KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  /** A part of what was written, to be kept. */
  copy(from: number, to: number): Buffer {
    const copy = Buffer.allocUnsafe(to - from);
    const buffer = this.#buffer;
    // For so few bytes, this is as fast as the method, which makes two more objects.
    for (let at = from; at < to; at++) copy[at - from] = buffer[at] ?? 0;
    return copy;
  }

  /** Writes plain ASCII as it is. */
  raw(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) this.#buffer[this.#at++] = text.charCodeAt(index);
  }

  beginList(): void {
    this.#comma();
    this.raw("[");
    this.#isFirst = true;
  }

  endList(): void {
    this.raw("]");
    this.#isFirst = false;
  }

  /** Begins a list that is not within another. */
  beginDocument(): void {
    this.#isFirst = true;
    this.beginList();
  }

  number(value: number | null): void {
    this.#comma();
    this.#reserve(MAX_NUMBER_BYTES);
    if (value === null || !Number.isSafeInteger(value) || value < 0) this.raw(JSON.stringify(value));
    else this.#digits(value);
  }

  text(value: string | null): void {
    this.#comma();
    if (value === null) {
      this.raw("null");
      return;
    }
    this.#reserve(value.length * MAX_CHARACTER_BYTES + 2);
    const start = this.#at;
    this.#buffer[this.#at++] = QUOTE;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) {
        this.#at = start + this.#buffer.write(JSON.stringify(value), start, "utf8");
        return;
      }
      this.#buffer[this.#at++] = code;
    }
    this.#buffer[this.#at++] = QUOTE;
  }

  #digits(value: number): void {
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    let rest = value;
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const next = Math.floor(rest / 10);
      this.#buffer[at] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.#at += digits;
  }

  #comma(): void {
    if (!this.#isFirst) this.raw(",");
    this.#isFirst = false;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
