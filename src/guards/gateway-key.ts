import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { GatewayError } from "../turn/error.js";
import type { Guard } from "./guard.js";
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

/** @throws {GatewayError} `invalid_gateway_key`, thrown by the guard. */
export function guardKey(holdsKey: KeyCheck, { isPassThrough }: KeyLocation): Guard {
  const how = isPassThrough ? "`x-curlew-key: <key>`" : "`Authorization: Bearer <key>` or `x-api-key: <key>`";
  return ({ headers }, outgoing) => {
    if (holdsKey(headers)) return;
    outgoing.setHeader("www-authenticate", "Bearer");
    const hints = isPassThrough ? [] : warnOfCredential(headers);
    const text = [`This gateway requires its own key. Send it as ${how}.`, ...hints].join(" ");
    throw new GatewayError("invalid_gateway_key", text);
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
