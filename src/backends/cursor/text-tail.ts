import { StringDecoder } from "node:string_decoder";

/** The last characters of a growing text. */
export class TextTail {
  readonly #maxLength: number;
  readonly #decoder = new StringDecoder("utf8");
  #text = "";

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get text(): string {
    return this.#text;
  }

  push(chunk: Buffer | string): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    this.#text = (this.#text + text).slice(-this.#maxLength);
  }
}
