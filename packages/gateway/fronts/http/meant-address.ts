import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestRecord } from "../../turn/events/channels.js";
import { pathOf } from "./router.js";
import { warningsHeader } from "./start-reply.js";

/** Longer than any of our addresses, except those that end in a model's name. */
const MAX_LENGTH = 500;

/** Prefixes of other services' routes. */
const bases: ReadonlySet<unknown> = new Set(["v1", "api", "openai", "anthropic"]);
const MAX_BASES = 4;

/**
 * The intended address, if a client has built this one from a wrong base URL, as in `/v1/v1/models`; otherwise undefined.
 * The one rule: up to four prefixes of other services, then perhaps a whole route that was taken for the base URL, then the
 * route. It must be one of OpenAI's or Anthropic's API: Curlew's own (the page, the owner's commands, metrics ...) have only
 * their exact address. Nothing is decoded, so escaped slashes and dots do not count as such.
 */
export function meantAddress(path: string): string | undefined {
  if (!path.startsWith("/") || path.length > MAX_LENGTH || /\.\.|%2e/i.test(path)) return undefined;
  const segments = path.split("/").filter((segment) => segment !== "");
  let at = 0;
  while (at < MAX_BASES && bases.has(segments[at])) at++;
  const isWhole = segments[at] !== "models" && routeLength(segments, at) > 0;
  if (isWhole) {
    let next = at + routeLength(segments, at);
    if (segments[next] === "v1") next++;
    if (routeLength(segments, next) > 0) at = next;
  }
  if (routeLength(segments, at) === 0) return undefined;
  const route = segments.slice(at).join("/");
  // An address without /v1 is right too.
  return path === `/v1/${route}` || path === `/${route}` ? undefined : `/v1/${route}`;
}

/** The number of segments in the name of the route there; 0 if none begins there. */
function routeLength(segments: readonly string[], at: number): 0 | 1 | 2 {
  switch (segments[at]) {
    case "chat":
      return segments[at + 1] === "completions" ? 2 : 0;
    case "completions":
    case "responses":
    case "messages":
    case "models":
      return 1;
    default:
      return 0;
  }
}

/** Rewrites an address with a wrong base URL, adds a warning, and returns the address to serve. Runs before all guards. */
export function forgiveBaseUrl(incoming: IncomingMessage, outgoing: ServerResponse, record: RequestRecord): string {
  const { url = "" } = incoming;
  const path = pathOf(url);
  const meant = meantAddress(path);
  if (meant === undefined) return url;
  const text = `This request came to ${path.slice(0, 100)}. Set the base URL of the client to ${rightBaseUrl(meant, incoming)}.`;
  const { "x-curlew-warnings": warning = "" } = warningsHeader([text]);
  outgoing.setHeader("x-curlew-warnings", warning);
  record.warnings = [warning];
  incoming.url = meant + url.slice(path.length);
  return incoming.url;
}

function rightBaseUrl(path: string, incoming: IncomingMessage): string {
  const isAnthropic = path.startsWith("/v1/messages") || incoming.headers["anthropic-version"] !== undefined;
  return isAnthropic ? originOf(incoming) : openAiBaseUrl(incoming);
}

/** This gateway's address as its client reaches it, for setup hints. Only a plain host name is repeated. */
function originOf({ headers: { host = "" }, socket }: Pick<IncomingMessage, "headers" | "socket">): string {
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : `127.0.0.1:${socket.localPort}`}`;
}

/** The base URL for clients of OpenAI's APIs. Clients of Anthropic's API add `/v1` themselves. */
export function openAiBaseUrl(incoming: Pick<IncomingMessage, "headers" | "socket">): string {
  return `${originOf(incoming)}/v1`;
}
