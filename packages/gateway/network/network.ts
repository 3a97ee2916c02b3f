import {
  Agent,
  type AgentOptions,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { GatewayError } from "../turn/error.js";
import { decodeUri } from "../turn/read-json.js";
import { bare, isSocks, type ProxyRules, portOf, proxyFor } from "./proxy-rules.js";
import { connected, openSocks, proxyUnreachable } from "./socks.js";

const CONNECT_TIMEOUT_MS = 20_000;
/** Responses of sign-in and account calls are small. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The network access to Cursor. Everything that is sent there goes through it, so that proxy settings apply to all of it. */
export interface Network {
  /** A request and its response, read whole. Redirects are never followed, because a credential must not go to another host. */
  fetch(url: URL | string, init?: FetchInit): Promise<HttpResponse>;
  /** The agent for requests of node:http or node:https to this origin. */
  agentFor(origin: URL, options?: AgentOptions): Agent;
  dial(url: URL, request: DialOptions): Promise<Socket>;
}

export function createNetwork(rules: ProxyRules = {}): Network {
  const agentFor = (origin: URL, options: AgentOptions = {}): Agent => {
    const proxy = proxyFor(origin, rules);
    return proxy === undefined ? agentOf(origin, options) : tunnelAgent(origin, proxy, options);
  };
  return {
    agentFor,
    async fetch(url, init = {}) {
      const target = new URL(url);
      return fetchOver(agentFor(target), target, init);
    },
    dial: async (url, request) => dial(url, proxyFor(url, rules), request),
  };
}

function tunnelAgent(origin: URL, proxy: URL, options: AgentOptions): Agent {
  const createConnection = (_: unknown, onCreated: (error: Error | null, socket?: Duplex) => void): void => {
    dial(origin, proxy, { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).then(
      (socket) => onCreated(null, socket),
      (cause: Error) => onCreated(cause),
    );
  };
  return Object.assign(agentOf(origin, options), { createConnection });
}

function agentOf(origin: URL, options: AgentOptions): Agent {
  return origin.protocol === "https:" ? new SecureAgent(options) : new Agent(options);
}

/**
 * Acts on the signal itself: with `signal` among Node's own options, Node 20 throws an error that nothing can catch if it aborts
 * in the tick in which the answer on a kept connection ends.
 */
export function requestTo(url: URL, { signal, ...options }: RequestOptions): ClientRequest {
  const sending = (url.protocol === "https:" ? requestSecurely : request)(url, options);
  let isAnswered = false;
  const leave = () => {
    sending.destroy(isAnswered ? undefined : new DOMException("The request was aborted.", "AbortError"));
  };
  if (signal?.aborted) leave();
  else signal?.addEventListener("abort", leave, { once: true });
  return sending
    .once("response", () => {
      isAnswered = true;
    })
    .once("close", () => signal?.removeEventListener("abort", leave));
}

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

export interface ResponseHead {
  readonly status: number;
  readonly header: (name: string) => string;
}

export interface HttpResponse extends ResponseHead {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function headOf({ statusCode: status = 0, headers }: IncomingMessage): ResponseHead {
  return { status, header: (name) => String(headers[name] ?? "") };
}

/** Node's own `fetch` has no proxy before version 24, and sends headers of browsers. */
async function fetchOver(agent: Agent, url: URL, init: FetchInit): Promise<HttpResponse> {
  const { method = "GET", headers = {}, body = "", signal } = init;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    requestTo(url, {
      agent,
      method,
      headers: { ...headers, "accept-encoding": "identity", "content-length": Buffer.byteLength(body) },
      ...(signal !== undefined && { signal }),
    })
      .once("response", resolve)
      .once("error", reject)
      .end(body);
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes came back`);
    parts.push(part);
  }
  return { ...headOf(response), headers: response.headers, body: Buffer.concat(parts) };
}

interface DialOptions {
  readonly alpn?: readonly string[];
  /** Aborts the attempt. It has no effect on an open socket. */
  readonly signal: AbortSignal;
}

/** Opens a socket to a URL's host, directly or through a proxy, with TLS where the URL says so. @throws Error */
async function dial(url: URL, proxy: URL | undefined, { alpn, signal }: DialOptions): Promise<Socket> {
  const host = bare(url.hostname);
  const openThrough = proxy !== undefined && isSocks(proxy) ? openSocks : openTunnel;
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

/** Asks an HTTP proxy for a tunnel to a host. The returned socket works like a direct connection. */
function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.hostname}:${portOf(target)}`;
  const ask = proxy.protocol === "https:" ? requestSecurely : request;
  const pair = `${decodeUri(proxy.username)}:${decodeUri(proxy.password)}`;
  const credentials = { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
  return new Promise((resolve, reject) => {
    const connecting = ask({
      host: bare(proxy.hostname),
      port: portOf(proxy),
      method: "CONNECT",
      path: authority,
      agent: false,
      signal,
      headers: { host: authority, ...(pair !== ":" && credentials) },
    });
    connecting.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket as Socket);
      }
      socket.destroy();
      reject(refusal(proxy, statusCode));
    });
    // Without this, a response to CONNECT that is not a tunnel would never end.
    connecting.once("response", (response) => {
      response.destroy();
      reject(refusal(proxy, response.statusCode));
    });
    connecting.once("error", (cause: NodeJS.ErrnoException) => reject(proxyUnreachable(proxy, cause)));
    connecting.end();
  });
}

/** A proxy that wants a password, or leads elsewhere, does so again at each retry, until it is put right. Anything else may pass. */
function refusal(proxy: URL, status = 0): Error {
  const said = `proxy ${proxy.host} answered with HTTP status ${status}`;
  if (status === 407) {
    const wish = proxy.username === "" ? "put a user name and password" : "it refuses the user name and password";
    return new GatewayError(
      "upstream_unreachable",
      `The ${said}: ${wish} in HTTPS_PROXY (http://user:password@host:port).`,
    );
  }
  if (status < 300 || status >= 400) return new Error(`the ${said}`);
  return new GatewayError(
    "upstream_unreachable",
    `The ${said}, a redirect: sign in to this network if it asks for that.`,
  );
}
