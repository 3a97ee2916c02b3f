import {
  Agent,
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request,
} from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type DialOptions, dial } from "./dial.js";
import { type ProxyRules, proxyFor } from "./proxy-rules.js";

const CONNECT_TIMEOUT_MS = 20_000;
/** Responses of sign-in and account calls are small. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The network access to Cursor. Everything that is sent there goes through it, so that proxy settings apply to all of it. */
export interface Network {
  /** Makes a request and reads the whole response, over HTTP/1.1. */
  fetch(url: URL | string, init?: FetchInit): Promise<Response>;
  /** The agent for requests of node:http or node:https to this origin. */
  agentFor(origin: URL, options?: AgentOptions): Agent;
  /** Opens a socket, for other protocols. */
  dial(url: URL, request: DialOptions): Promise<Socket>;
}

export function createNetwork(rules: ProxyRules = {}): Network {
  const agentFor = (origin: URL, options: AgentOptions = {}): Agent => {
    const proxy = proxyFor(origin, rules);
    if (proxy !== undefined) return tunnelAgent(origin, proxy, options);
    return agentOf(origin, options);
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

/** An agent whose sockets all lead to one origin through a proxy. */
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

/** Starts a request over HTTP/1.1, with TLS where the URL says so. */
export function requestTo(url: URL, options: RequestOptions): ClientRequest {
  return (url.protocol === "https:" ? requestSecurely : request)(url, options);
}

/** The part of `fetch` that our own calls use. Redirects are never followed, because a credential must not go to another host. */
interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly redirect?: "error" | "manual";
  readonly signal?: AbortSignal;
}

/** `fetch` over an agent of ours: Node's own has no proxy before version 24, and sends headers of browsers. */
async function fetchOver(agent: Agent, url: URL, init: FetchInit): Promise<Response> {
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
  const { statusCode: status = 0 } = response;
  if (init.redirect === "error" && status >= 300 && status < 400) {
    response.destroy();
    throw new Error("unexpected redirect");
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes came back`);
    parts.push(part);
  }
  const received = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) received.set(name, String(value));
  return new Response(bytes === 0 ? null : Buffer.concat(parts), { status, headers: received });
}
