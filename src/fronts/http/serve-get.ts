import type { Handler, Hono } from "hono";
import type { ServerEnv } from "./server-env.js";
import { refuseMethod } from "./unserved-routes.js";

/** Serves a route that can only be read. */
export function serveGet(app: Hono<ServerEnv>, path: string, handler: Handler<ServerEnv>): void {
  app.get(path, handler);
  app.all(path, refuseMethod("GET, HEAD"));
}
