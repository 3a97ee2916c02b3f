import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../fronts/http/request-record.js";
import { GatewayError } from "../turn/error.js";
import { bearerOf, warnOfCredential } from "./pass-through.js";

/** Whether a request shows the gateway's key. Without a key, every request is allowed. */
export type KeyCheck = (headers: IncomingHttpHeaders) => boolean;

/** In pass-through mode the usual headers carry a credential for Cursor. */
interface KeyLocation {
  readonly isPassThrough: boolean;
}

export function createKeyCheck(key: string | undefined, { isPassThrough }: KeyLocation): KeyCheck {
  if (key === undefined) return () => true;
  const wanted = digest(key);
  return (headers) => {
    const shownKeys = isPassThrough ? [headers["x-curlew-key"]] : [bearerOf(headers), headers["x-api-key"]];
    // Digests have the same length, so the time of the comparison reveals nothing about the key.
    return shownKeys.some((shown) => typeof shown === "string" && timingSafeEqual(digest(shown), wanted));
  };
}

/** @throws {GatewayError} `invalid_gateway_key`, thrown by the middleware. */
export function guardKey(holdsKey: KeyCheck, { isPassThrough }: KeyLocation): MiddlewareHandler<ServerEnv> {
  const how = isPassThrough ? "`x-curlew-key: <key>`" : "`Authorization: Bearer <key>` or `x-api-key: <key>`";
  return async (c, next) => {
    if (!holdsKey(c.env.incoming.headers)) {
      c.env.outgoing.setHeader("www-authenticate", "Bearer");
      const hints = isPassThrough ? [] : warnOfCredential(c.env.incoming.headers);
      const text = [`This gateway requires its own key. Send it as ${how}.`, ...hints].join(" ");
      throw new GatewayError("invalid_gateway_key", text);
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
