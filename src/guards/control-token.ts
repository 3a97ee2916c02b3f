import { hash, timingSafeEqual } from "node:crypto";
import { CONTROL_HEADER } from "../control/index.js";
import { GatewayError } from "../turn/error.js";
import type { Guard } from "./guard.js";

/**
 * Lets only the owner's commands pass: they show the token that this gateway has written into a file of the owner. Browsers send an
 * origin with everything that a page posts, and no command does.
 *
 * @throws {GatewayError} `forbidden_host` or `invalid_gateway_key`, thrown by the guard.
 */
export function guardControl(token: string): Guard {
  const wanted = hash("sha256", token, "buffer");
  return ({ headers }) => {
    if (headers.origin !== undefined) {
      throw new GatewayError("forbidden_host", "Web pages may not use the routes of the owner's commands.");
    }
    const shown = headers[CONTROL_HEADER];
    if (typeof shown === "string" && timingSafeEqual(hash("sha256", shown, "buffer"), wanted)) return;
    throw new GatewayError(
      "invalid_gateway_key",
      `This route is for commands of the gateway's owner. They find the token for ${CONTROL_HEADER} in the owner's files.`,
    );
  };
}
