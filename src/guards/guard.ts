import type { IncomingMessage, ServerResponse } from "node:http";
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../fronts/http/server-env.js";
import type { Caller } from "../keys/index.js";

/**
 * Lets a request pass, or refuses it by a `GatewayError`. It may set headers of the answer. A request may meet it twice: once on
 * the short way, and if it is refused there, once more on the way through the router, which says why.
 */
export type Guard = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** The last guard, which also says whose request it is. */
export type Identify = (incoming: IncomingMessage, outgoing: ServerResponse) => Caller;

/** A guard as the router wants it. */
export function asMiddleware(guard: Guard): MiddlewareHandler<ServerEnv> {
  return (c, next) => {
    guard(c.env.incoming, c.env.outgoing);
    return next();
  };
}
