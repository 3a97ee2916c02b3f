import type { DescribedRoute } from "./described-route.js";
import { writeDocument } from "./document.js";

/** Serves the description of the API. Few clients ask for it, so it is written at the first request. */
export function serveOpenApi(routes: readonly DescribedRoute[], version: () => string): () => Response {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(writeDocument(routes, version()));
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
}

export type { DescribedRoute, RouteDescription, Shapes } from "./described-route.js";
export { AnthropicError, ChatUsage, gatewayRoutes, OpenAiError, parameter, TurnUsage } from "./described-route.js";
