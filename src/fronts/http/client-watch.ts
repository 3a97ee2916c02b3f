import type { IncomingMessage } from "node:http";

export interface ClientWatch {
  /** Aborts at once when the client's connection closes. */
  readonly signal: AbortSignal;
  /** From now on the client may leave without consequence. */
  release(): void;
  /** Ends whatever still runs for it. What is over by itself does not notice. */
  abandon(): void;
}

/**
 * Watches the socket itself: with pipelined requests, neither the request nor a response that still waits for its turn
 * is told that the connection has gone.
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
