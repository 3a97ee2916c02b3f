/** One event of a stream. Its name stands twice: clients that find it only in the JSON drop the stream. */
export function toFrame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
