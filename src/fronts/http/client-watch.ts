import type { IncomingMessage } from "node:http";

export interface ClientWatch {
  /** Aborts as soon as the client's connection closes. */
  readonly signal: AbortSignal;
  /** From now on nothing happens when the client leaves. */
  release(): void;
  /** Ends whatever still runs for the client. This has no effect on what is already over. */
  abandon(): void;
}

/**
 * Watches the socket itself: with pipelined requests, neither the request nor a response that waits for its turn gets an event
 * when the connection closes.
 */
export function watchClient({ socket }: IncomingMessage): ClientWatch {
  const controller = new AbortController();
  const leave = () => controller.abort();
  if (socket.destroyed) leave();
  else socket.once("close", leave);
  const release = () => void socket.off("close", leave);
  return {
    signal: controller.signal,
    release,
    abandon() {
      release();
      leave();
    },
  };
}
