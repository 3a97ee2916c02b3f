import type { IncomingMessage } from "node:http";
import { isOwnOrigin } from "@curlew/gateway/fronts/guards/index.js";
import type { Guard } from "@curlew/gateway/fronts/http/router.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { PAGE_HEADER, type PageSessions } from "../access/index.js";

/**
 * Refuses requests from all pages but the gateway's own, even those of allowed origins and of other ports of this host. Browsers
 * name the source of a request in `Sec-Fetch-Site`, though not to plain HTTP on other machines, and in `Origin`, though not
 * with every read.
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

/** Lets only a page with the cookie and proof of one session pass. @throws {GatewayError} `page_closed`, by the guard. */
export function guardPage(sessions: Pick<PageSessions, "isOpen">): Guard {
  return (incoming) => {
    if (!isPageOpen(sessions, incoming)) {
      throw new GatewayError("page_closed", "This page has no open session. Open it with: curlew dashboard");
    }
  };
}

export function isPageOpen(
  sessions: Pick<PageSessions, "isOpen">,
  { headers }: Pick<IncomingMessage, "headers">,
): boolean {
  const proof = headers[PAGE_HEADER];
  return typeof proof === "string" && sessions.isOpen(headers.cookie, proof);
}
