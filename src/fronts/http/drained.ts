import type { Writable } from "node:stream";

/** Resolves when there is room again, or when the client is gone. */
export function drained(writable: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      writable.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    if (signal.aborted) return resolve();
    writable.on("drain", done);
    signal.addEventListener("abort", done);
  });
}
