import { serveFront } from "../fronts/http/route.js";
import type { RouteDeps } from "../fronts/http/route-deps.js";
import { chat } from "../fronts/openai-chat/index.js";
import { type PageRoute, pageApi } from "../fronts/page/index.js";
import type { UsageSource } from "../fronts/usage/index.js";
import type { PageViews, ViewsDeps } from "../views/index.js";

/** Makes the routes of the page's API for the server that has these parts, until that closes. */
export type PageApi = (server: RouteDeps, closing: AbortSignal) => readonly PageRoute[];

/** What the views of the page ask for. Nobody may ever look, so what they read is loaded for the first who does. */
export function openPageApi(deps: ViewsDeps, usage: UsageSource): PageApi {
  let loaded: Promise<PageViews> | undefined;
  const views = () => (loaded ??= import("../views/index.js").then(({ createViews }) => createViews(deps)));
  return (server, closing) =>
    pageApi({ views, usage, gateway: server.gateway, chat: serveFront(chat, server), closing });
}
