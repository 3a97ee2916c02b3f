import { StringDecoder } from "node:string_decoder";

export class TextTail {
  readonly #maxLength: number;
  text = "";
  readonly #decoder = new StringDecoder("utf8");

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  push(chunk: Buffer | string): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    this.text = (this.text + text).slice(-this.#maxLength);
  }
}
