import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../fronts/http/server-env.js";
import { GatewayError } from "../turn/error.js";
import type { Guard } from "./guard.js";

const READABLE_HEADERS =
  "x-request-id, x-curlew-backend, x-curlew-model, x-curlew-continuity, x-curlew-warnings, x-curlew-breaker, retry-after, x-should-retry";
const A_DAY_SECONDS = "86400";

/** Lets web pages of the given origins read the answers. Without any, no CORS headers are sent, and so browsers refuse. */
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
 * Answers a browser that asks, for a page of the given origins, what it may send. Pages of other origins learn which setting allows
 * them: the tools of a browser show it.
 *
 * @throws {GatewayError} `forbidden_host`, thrown by the handler.
 */
export function answerPreflights(origins: readonly string[]): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { origin, host } = c.env.incoming.headers;
    if (c.req.method !== "OPTIONS" || origin === undefined) return next();
    if (!origins.includes(origin)) {
      const isPreflight = c.req.header("access-control-request-method") !== undefined;
      if (isPreflight && !isOwnOrigin(origin, host)) throw foreignOrigin(origin);
      return next();
    }
    const asked = c.req.header("access-control-request-headers") ?? "content-type, authorization";
    return new Response(null, {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers": asked,
        "access-control-max-age": A_DAY_SECONDS,
      },
    });
  };
}

/**
 * Refuses requests from web pages of other origins. Browsers send the origin of a page, and programs send none. Browsers ask
 * before a page may send JSON, and we do not permit it then; this guard is for requests that come without that question. Other
 * schemes (an editor's panel, an extension, an app) and `null` are left to the browser's question, except on a WebSocket:
 * browsers open one without asking, and any page can give itself the origin `null`.
 *
 * @throws {GatewayError} `forbidden_host`, thrown by the guard.
 */
export function guardOrigin(origins: readonly string[]): Guard {
  return ({ headers: { origin, host, upgrade } }) => {
    if (origin !== undefined && !origins.includes(origin) && (upgrade !== undefined || isWebOrigin(origin))) {
      if (!isOwnOrigin(origin, host)) throw foreignOrigin(origin);
    }
  };
}

function isWebOrigin(origin: string): boolean {
  return /^https?:/i.test(origin);
}

/** Whether a page comes from the same address that it asks. Either may leave out the default port of its scheme. */
export function isOwnOrigin(origin: string, host = ""): boolean {
  if (!isWebOrigin(origin) || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  const asked = `${page.protocol}//${host}`;
  return URL.canParse(asked) && new URL(asked).host === page.host;
}

function foreignOrigin(origin: string): GatewayError {
  return new GatewayError(
    "forbidden_host",
    `Pages of ${origin.slice(0, 100)} may not use this gateway. If that is a program of yours, allow its origin with corsOrigins (CURLEW_CORS_ORIGINS).`,
  );
}
