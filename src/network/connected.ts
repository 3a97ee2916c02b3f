import type { Socket } from "node:net";

/**
 * Waits until a socket is connected.
 * @throws Error when it fails, closes, or the signal aborts before that
 */
export function connected<S extends Socket>(
  event: "connect" | "secureConnect",
  socket: S,
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", fail).off("close", close);
      act();
    };
    const fail = (cause: Error) => settle(() => reject(cause));
    const close = () => fail(new Error("it closed the connection"));
    const giveUp = () => {
      settle(() => reject(noAnswer(signal)));
      socket.on("error", () => {}).destroy();
    };
    socket.once("error", fail).once("close", close);
    socket.once(event, () => settle(() => resolve(socket)));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

export function noAnswer({ reason }: AbortSignal): Error {
  return new Error("no answer in time", { cause: reason });
}

export function proxyUnreachable(proxy: URL, cause: NodeJS.ErrnoException): Error {
  return new Error(`the proxy ${proxy.host} cannot be reached: ${cause.code ?? cause.message}`, { cause });
}
