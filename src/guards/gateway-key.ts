import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../fronts/request-record.js";
import { GatewayError } from "../turn/error.js";

/** Whether a request shows the gateway's key. Without a key everybody may in. */
export type KeyCheck = (headers: IncomingHttpHeaders) => boolean;

export function createKeyCheck(key: string | undefined): KeyCheck {
  if (key === undefined) return () => true;
  const wanted = digest(key);
  return ({ authorization, "x-api-key": apiKey }) => {
    const bearer = /^bearer +(.*)$/i.exec(authorization ?? "")?.[1]?.trim();
    // Digests have one length, so the time of the comparison tells nothing about the key.
    return [bearer, apiKey].some((shown) => typeof shown === "string" && timingSafeEqual(digest(shown), wanted));
  };
}

export function guardKey(holdsKey: KeyCheck): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (!holdsKey(c.env.incoming.headers)) {
      c.env.outgoing.setHeader("www-authenticate", "Bearer");
      throw new GatewayError(
        "invalid_gateway_key",
        "This gateway wants its own key. Send it as `Authorization: Bearer <key>` or `x-api-key: <key>`.",
      );
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
