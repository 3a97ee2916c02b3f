import type { FrameWriter } from "../../frame.js";

/** The events of one stream, numbered in the order in which they are written. */
export class EventWriter {
  readonly #out: FrameWriter;
  #sequence = 0;

  constructor(out: FrameWriter) {
    this.#out = out;
  }

  write(type: string, fields: object): void {
    const json = JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ });
    this.#out.write(this.#out.before(type) + json + this.#out.after);
  }

  /** Prepares an event that comes once per delta: everything except the delta and the number is serialised only once. */
  prepare(type: string, fields: object): (delta: string) => void {
    const head = `${this.#out.before(type)}${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;
    const tail = `}${this.#out.after}`;
    return (delta) => this.#out.write(`${head}${JSON.stringify(delta)},"sequence_number":${this.#sequence++}${tail}`);
  }
}
