import type { Hono, NotFoundHandler } from "hono";
import { closest } from "../../closest.js";
import { GatewayError } from "../../turn/error.js";
import type { ServerEnv } from "./request-record.js";
import { refusalOfRoute } from "./unserved-routes.js";

/** Longer addresses than any of ours have no near one. */
const MAX_COMPARED = 100;

export function refuseUnknownRoute(app: Hono<ServerEnv>): NotFoundHandler<ServerEnv> {
  return (c) => {
    const refusal = refusalOfRoute(c.req.path);
    if (refusal !== undefined) throw refusal;
    const near = nearest(c.req.path.slice(0, MAX_COMPARED), listRoutes(app));
    const hint = near === undefined ? "" : `; the nearest is ${near}`;
    throw new GatewayError("route_not_found", `There is no such route${hint}. GET /openapi.json describes all routes.`);
  };
}

/** `POST /v1/chat/completions` and all others, as they are served. */
function listRoutes(app: Hono<ServerEnv>): string[] {
  return app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${plain(path)}`);
}

/** `/v1/models/:id{.+}` as people write it: `/v1/models/{id}`. */
function plain(path: string): string {
  return path.replace(/:(\w+)(\{[^}:]*\})?/g, "{$1}");
}

/** Also when the base URL was set with too much or too little in it: the end of the address counts most. */
function nearest(path: string, routes: readonly string[]): string | undefined {
  const byPath = new Map(routes.map((route) => [route.slice(route.indexOf(" ") + 1), route]));
  const ending = [...byPath.keys()].filter((each) => path.endsWith(each)).sort((a, b) => b.length - a.length)[0];
  const found = ending ?? closest(path, [...byPath.keys()])[0];
  return found === undefined ? undefined : byPath.get(found);
}
