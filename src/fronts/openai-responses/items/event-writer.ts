/** The events of one stream, numbered in the order in which they are written. */
export class EventWriter {
  #sequence = 0;

  write(type: string, fields: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ })}\n\n`;
  }

  /** For events that come once per delta: everything but the delta and the number is written only once. */
  prepare(type: string, fields: object): (delta: string) => string {
    const head = `event: ${type}\ndata: ${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;
    return (delta) => `${head}${JSON.stringify(delta)},"sequence_number":${this.#sequence++}}\n\n`;
  }
}
