import type { Handler } from "hono";
import { GatewayError } from "../../turn/error.js";
import type { ServerEnv } from "./request-record.js";
import { refusalOfMethod } from "./unserved-routes.js";

/** For every method that a route does not have. */
export function refuseMethod(allowed: string): Handler<ServerEnv> {
  return (c) => {
    c.env.outgoing.setHeader("allow", allowed);
    throw refusalOfMethod(c.req.method, c.req.path) ?? methodNotAllowed(allowed);
  };
}

function methodNotAllowed(allowed: string): GatewayError {
  return new GatewayError("method_not_allowed", `This route takes ${allowed} only.`);
}
