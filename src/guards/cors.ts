import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../fronts/request-record.js";
import { GatewayError } from "../turn/error.js";

const READABLE_HEADERS =
  "x-request-id, x-curlew-backend, x-curlew-model, x-curlew-continuity, x-curlew-warnings, retry-after";
const A_DAY_SECONDS = "86400";

/** Lets web pages of the given origins talk to us. With none given, browsers are told nothing and so refuse. */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { incoming, outgoing } = c.env;
    const { origin } = incoming.headers;
    if (origins.length > 0) outgoing.setHeader("vary", "origin");
    if (origin === undefined || !origins.includes(origin)) return next();
    // On the raw response, so that streams carry them too.
    outgoing.setHeader("access-control-allow-origin", origin);
    outgoing.setHeader("access-control-expose-headers", READABLE_HEADERS);
    if (c.req.method !== "OPTIONS") return next();
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
 * Browsers ask nobody before they open a WebSocket for a page, and then let the page read everything. But they say whose page
 * it is, and programs do not.
 */
export function guardOrigin(origins: readonly string[]): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const { origin, upgrade } = c.env.incoming.headers;
    if (upgrade !== undefined && origin !== undefined && !origins.includes(origin)) {
      throw new GatewayError(
        "forbidden_host",
        "Web pages may not open a WebSocket here, unless their origin is allowed with corsOrigins (CURLEW_CORS_ORIGINS).",
      );
    }
    await next();
  };
}
