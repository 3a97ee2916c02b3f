import type { Frame } from "../frame.js";

/** One event of a stream. Its name stands twice: clients that find it only in the JSON drop the stream. */
export function toFrame(event: { readonly type: string; readonly [field: string]: unknown }): Frame {
  return { event: event.type, data: JSON.stringify(event) };
}
