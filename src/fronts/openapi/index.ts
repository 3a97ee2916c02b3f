import type { Handler } from "hono";
import type { ServerEnv } from "../http/request-record.js";
import { writeDocument } from "./document.js";
import { describedRoutes } from "./routes.js";

/** The API, described. Few ask for it, so it is written when the first one does. */
export function serveOpenApi(version: () => string): Handler<ServerEnv> {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(writeDocument(describedRoutes, version()));
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
}
