import { request } from "node:http";
import { request as requestSecurely } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { bare, portOf } from "./proxy-rules.js";

export interface DialOptions {
  /** The protocols to offer in TLS. */
  readonly alpn?: readonly string[];
  /** Aborts the attempt. It has no effect on an open socket. */
  readonly signal: AbortSignal;
}

/**
 * Opens a socket to a URL's host, directly or through a proxy, with TLS where the URL says so.
 * @throws Error when the host or the proxy cannot be reached.
 */
export async function dial(url: URL, proxy: URL | undefined, { alpn, signal }: DialOptions): Promise<Socket> {
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

/** Asks a proxy for a tunnel to a host. The returned socket serves like a direct connection. */
function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.hostname}:${portOf(target)}`;
  const ask = proxy.protocol === "https:" ? requestSecurely : request;
  return new Promise((resolve, reject) => {
    const connecting = ask({
      host: bare(proxy.hostname),
      port: portOf(proxy),
      method: "CONNECT",
      path: authority,
      agent: false,
      signal,
      headers: { host: authority, ...credentialsOf(proxy) },
    });
    connecting.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket as Socket);
      }
      socket.destroy();
      reject(refusal(proxy, statusCode));
    });
    // Without this, a response to CONNECT that is no tunnel would never end.
    connecting.once("response", (response) => {
      response.destroy();
      reject(refusal(proxy, response.statusCode));
    });
    connecting.once("error", (cause: NodeJS.ErrnoException) =>
      reject(new Error(`the proxy ${proxy.host} cannot be reached: ${cause.code ?? cause.message}`, { cause })),
    );
    connecting.end();
  });
}

function refusal(proxy: URL, status: number | undefined): Error {
  const hint = status === 407 ? ", it wants a user name and password" : "";
  return new Error(`the proxy ${proxy.host} answered with HTTP status ${status}${hint}`);
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
