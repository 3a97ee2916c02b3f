import type { IncomingMessage } from "node:http";

/**
 * The address of this gateway as the client of a request reaches it, for texts that say what to set. The name that the client used is
 * repeated only if it is a plain one.
 */
export function originOf({ headers: { host = "" }, socket }: Pick<IncomingMessage, "headers" | "socket">): string {
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : `127.0.0.1:${socket.localPort}`}`;
}

/** The base URL for clients of OpenAI's APIs. Clients of Anthropic's API add `/v1` themselves. */
export function openAiBaseUrl(incoming: Pick<IncomingMessage, "headers" | "socket">): string {
  return `${originOf(incoming)}/v1`;
}
