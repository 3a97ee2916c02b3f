import type { Handler } from "hono";
import { GatewayError } from "../turn/error.js";
import type { ServerEnv } from "./request-record.js";

/** For every method that a route does not have. */
export function refuseMethod(allowed: string): Handler<ServerEnv> {
  return (c) => {
    c.env.outgoing.setHeader("allow", allowed);
    throw new GatewayError("method_not_allowed", `This route takes ${allowed} only.`);
  };
}
