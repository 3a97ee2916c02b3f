import { request } from "node:http";
import { request as requestSecurely } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { bare, decoded, isSocks, portOf } from "./proxy-rules.js";
import { connected, openSocks, proxyUnreachable } from "./socks.js";

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
      ? await connected("connect", connectTcp({ host, port: Number(portOf(url)) }), signal)
      : await openThrough(proxy, url, signal);
  opened.setNoDelay(true);
  if (url.protocol !== "https:") return opened;
  const secured = connectTls({
    socket: opened,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(alpn !== undefined && { ALPNProtocols: [...alpn] }),
  });
  return connected("secureConnect", secured, signal);
}

async function openThrough(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  return isSocks(proxy) ? openSocks(proxy, target, signal) : openTunnel(proxy, target, signal);
}

/** Asks an HTTP proxy for a tunnel to a host. The returned socket serves like a direct connection. */
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
    connecting.once("error", (cause: NodeJS.ErrnoException) => reject(proxyUnreachable(proxy, cause)));
    connecting.end();
  });
}

function refusal(proxy: URL, status: number | undefined): Error {
  const wish = proxy.username === "" ? "put a user name and password" : "it refuses the user name and password";
  const hint = status === 407 ? `: ${wish} in HTTPS_PROXY (http://user:password@host:port)` : "";
  return new Error(`the proxy ${proxy.host} answered with HTTP status ${status}${hint}`);
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
