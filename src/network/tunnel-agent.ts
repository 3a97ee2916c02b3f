import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { dial } from "./dial.js";

const CONNECT_TIMEOUT_MS = 20_000;

/** An agent whose sockets all lead to one origin, through a proxy. */
export function tunnelAgent(origin: URL, proxy: URL, options: AgentOptions): HttpAgent {
  const createConnection = (_: unknown, onCreated: (error: Error | null, socket?: Duplex) => void): void => {
    dial(origin, proxy, { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).then(
      (socket) => onCreated(null, socket),
      (cause: Error) => onCreated(cause),
    );
  };
  return Object.assign(origin.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options), {
    createConnection,
  });
}
