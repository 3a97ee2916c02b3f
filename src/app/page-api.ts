import { serveFront } from "../fronts/http/route.js";
import type { RouteDeps } from "../fronts/http/route-deps.js";
import { chat } from "../fronts/openai-chat/index.js";
import { type PageRoute, pageApi } from "../fronts/page/index.js";
import type { UsageSource } from "../fronts/usage/index.js";
import { createViews, type ViewsDeps } from "../views/index.js";

/** Makes the routes of the page's API for the server that has these parts, until that closes. */
export type PageApi = (server: RouteDeps, closing: AbortSignal) => readonly PageRoute[];

export function openPageApi(deps: ViewsDeps, usage: UsageSource): PageApi {
  return (server, closing) => {
    const views = createViews(deps);
    return pageApi({ views, usage, gateway: server.gateway, chat: serveFront(chat, server), closing });
  };
}
