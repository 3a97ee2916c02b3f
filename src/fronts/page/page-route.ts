import type { Handler } from "hono";
import type { ServerEnv } from "../http/server-env.js";

/** What every address of the page's API begins with. */
export const API = "/admin/api";

/** A route of the page's API, for those who may see the page: the guards stand before it. */
export interface PageRoute {
  readonly method: "GET" | "POST";
  /** The whole address, such as `/admin/api/requests/:id`. */
  readonly path: string;
  readonly handler: Handler<ServerEnv>;
}
