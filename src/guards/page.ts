import type { IncomingMessage } from "node:http";
import { PAGE_HEADER, type PageSessions } from "../page/index.js";
import { GatewayError } from "../turn/error.js";
import { isOwnOrigin } from "./cors.js";
import type { Guard } from "./guard.js";

/**
 * Refuses what comes from any other page than the gateway's own, also from one of an allowed origin and of another port of this host.
 * Browsers say where a request comes from by `Sec-Fetch-Site`, though not to plain HTTP on other machines, and by `Origin`, though not
 * with everything that only reads.
 *
 * @throws {GatewayError} `forbidden_host`, thrown by the guard.
 */
export const guardPageSite: Guard = ({ method, headers }) => {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site === "same-origin") return;
  const isForeign = site !== undefined && site !== "none";
  const isOwn = origin === undefined ? method === "GET" || method === "HEAD" : isOwnOrigin(origin, host);
  if (isForeign || !isOwn) {
    throw new GatewayError(
      "forbidden_host",
      "Only the gateway's own page may use this address. Open it with: curlew dashboard",
    );
  }
};

/**
 * Lets only a page pass that somebody has opened: it shows the cookie and the proof of one session.
 *
 * @throws {GatewayError} `page_closed`, thrown by the guard.
 */
export function guardPage(sessions: Pick<PageSessions, "isOpen">): Guard {
  return (incoming) => {
    if (!isPageOpen(sessions, incoming)) {
      throw new GatewayError("page_closed", "This page is not open, or no longer. Open it with: curlew dashboard");
    }
  };
}

/** Whether the session of this request is open now. */
export function isPageOpen(
  sessions: Pick<PageSessions, "isOpen">,
  { headers }: Pick<IncomingMessage, "headers">,
): boolean {
  const proof = headers[PAGE_HEADER];
  return typeof proof === "string" && sessions.isOpen(headers.cookie, proof);
}
