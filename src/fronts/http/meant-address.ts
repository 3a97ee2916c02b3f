import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestRecord } from "../../events/channels.js";
import { pathOf } from "./router.js";
import { warningsHeader } from "./start-reply.js";

/** None of our addresses is as long, except with the name of a model at its end. */
const MAX_LENGTH = 500;

/** What other services have before their routes. */
const bases: ReadonlySet<unknown> = new Set(["v1", "api", "openai", "anthropic"]);
const MAX_BASES = 4;

/**
 * The address that was meant by one which a client has put together from a wrong base URL, as in `/v1/v1/models`; undefined for all
 * others, and for those that are right.
 * The one rule: up to four segments that other services have before their routes, then perhaps a whole route that was taken for the
 * base URL, then the route. It must be a route of OpenAI's or Anthropic's API: what is Curlew's own, such as the page, the owner's
 * commands and metrics, answers at its own address alone. Nothing is decoded, so an escaped slash or dot is none here.
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
  // An address without /v1 is right, too.
  return path === `/v1/${route}` || path === `/${route}` ? undefined : `/v1/${route}`;
}

/** How many segments the route there has, without what may follow it; 0 if there is none. */
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

/** Replaces an address that comes of a wrong base URL, with a warning, and returns the one that counts. All guards come after this. */
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

/** This gateway's address as its client reaches it, for texts that say what to set. Only a plain host name is repeated. */
function originOf({ headers: { host = "" }, socket }: Pick<IncomingMessage, "headers" | "socket">): string {
  return `http://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : `127.0.0.1:${socket.localPort}`}`;
}

/** The base URL for clients of OpenAI's APIs. Clients of Anthropic's API add `/v1` themselves. */
export function openAiBaseUrl(incoming: Pick<IncomingMessage, "headers" | "socket">): string {
  return `${originOf(incoming)}/v1`;
}
