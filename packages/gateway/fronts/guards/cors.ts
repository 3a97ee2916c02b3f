import { GatewayError } from "../../turn/error.js";
import type { Guard } from "../http/router.js";

const READABLE_HEADERS =
  "x-request-id, x-curlew-backend, x-curlew-model, x-curlew-continuity, x-curlew-warnings, x-curlew-breaker, retry-after, x-should-retry";
const A_DAY_SECONDS = "86400";
const OWN_SITE: readonly string[] = ["none", "same-origin"];

/** Lets web pages of the given origins read the answers. Without any, no CORS headers are sent, so browsers refuse. */
export function allowOrigins(origins: readonly string[]): Guard {
  return ({ headers: { origin } }, outgoing) => {
    if (origins.length > 0) outgoing.setHeader("vary", "origin");
    if (origin === undefined || !origins.includes(origin)) return;
    // The headers are set on the raw response, so that streams carry them too.
    outgoing.setHeader("access-control-allow-origin", origin);
    outgoing.setHeader("access-control-expose-headers", READABLE_HEADERS);
  };
}

/**
 * Answers preflights for pages of the given origins. The refusal of other origins names the setting that allows them, which a
 * browser's developer tools show.
 */
export function answerPreflights(origins: readonly string[]): Guard {
  return ({ method, headers }) => {
    const { origin, host } = headers;
    if (method !== "OPTIONS" || origin === undefined) return undefined;
    if (!origins.includes(origin)) {
      const isPreflight = headers["access-control-request-method"] !== undefined;
      if (isPreflight && !isOwnOrigin(origin, host)) throw foreignOrigin(origin);
      return undefined;
    }
    return {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers": headers["access-control-request-headers"] ?? "content-type, authorization",
        "access-control-max-age": A_DAY_SECONDS,
      },
      body: "",
    };
  };
}

/**
 * Refuses requests from web pages of other origins. Browsers send the origin of a page, and programs send none. A page may only
 * send JSON after a preflight, which we refuse; this guard is for requests that need none. Other schemes (an editor's panel, an
 * extension, an app) and `null` are left to the preflight, except on a WebSocket: browsers open one without a preflight, and any
 * page can give itself the origin `null`. Without an origin, `Sec-Fetch-Site` shows whether a browser sends this for a page;
 * following a link only reads.
 */
export function guardOrigin(origins: readonly string[]): Guard {
  return ({ method, headers: { origin, host, upgrade, "sec-fetch-site": site = "none" } }) => {
    const onlyReads = method === "GET" && upgrade === undefined;
    if (origin === undefined && !onlyReads && !OWN_SITE.includes(site)) throw foreignOrigin("another site");
    if (origin !== undefined && !origins.includes(origin) && (upgrade !== undefined || isWebOrigin(origin))) {
      if (!isOwnOrigin(origin, host)) throw foreignOrigin(origin);
    }
  };
}

function isWebOrigin(origin: string): boolean {
  return /^https?:/i.test(origin);
}

/** Whether a page's origin is the address that it calls. Either may leave out the default port of its scheme. */
export function isOwnOrigin(origin: string, host = ""): boolean {
  if (!isWebOrigin(origin) || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  const asked = `${page.protocol}//${host}`;
  return URL.canParse(asked) && new URL(asked).host === page.host;
}

function foreignOrigin(origin: string): GatewayError {
  return new GatewayError(
    "forbidden_host",
    `Pages of ${origin.slice(0, 100)} may not use this gateway. If this is your own program, allow its origin with corsOrigins (CURLEW_CORS_ORIGINS).`,
  );
}
