import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { bare, portOf } from "./proxy-rules.js";
import { openTunnel } from "./tunnel.js";

export interface DialWish {
  /** Protocols to offer inside TLS. */
  readonly alpn?: readonly string[];
  /** Ends the attempt; an open socket no longer depends on it. */
  readonly signal: AbortSignal;
}

/** An open socket to a URL's host: directly or through a proxy, with TLS where the URL says so. */
export async function dial(url: URL, proxy: URL | undefined, { alpn, signal }: DialWish): Promise<Socket> {
  const host = bare(url.hostname);
  const opened =
    proxy === undefined
      ? await until("connect", connectTcp({ host, port: Number(portOf(url)) }), signal)
      : await openTunnel(proxy, url, signal);
  opened.setNoDelay(true);
  if (url.protocol !== "https:") return opened;
  const secured = connectTls({
    socket: opened,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(alpn !== undefined && { ALPNProtocols: [...alpn] }),
  });
  return until("secureConnect", secured, signal);
}

function until<S extends Socket>(event: "connect" | "secureConnect", socket: S, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", fail).off("close", close);
      act();
    };
    const fail = (cause: Error) => settle(() => reject(cause));
    const close = () => fail(new Error("it closed the connection"));
    const giveUp = () => {
      settle(() => reject(new Error("no answer in time", { cause: signal.reason })));
      socket.on("error", () => {}).destroy();
    };
    socket.once("error", fail).once("close", close);
    socket.once(event, () => settle(() => resolve(socket)));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}
