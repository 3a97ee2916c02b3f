import { jsonAnswer } from "../http/answer.js";
import type { RouteDeps } from "../http/route-deps.js";
import { queryOf, type Route } from "../http/router.js";

type ControlDeps = Pick<RouteDeps, "gateway"> & { readonly newPageLink: () => string };

/** The routes for the owner's commands, which the API description omits. */
export function controlRoutes({ gateway, newPageLink }: ControlDeps): readonly Route[] {
  return [
    {
      method: "POST",
      path: "/curlew/stop",
      serve: (request) => jsonAnswer(gateway.stop(queryOf(request, "conversation"))),
    },
    { method: "POST", path: "/curlew/page-link", serve: () => jsonAnswer({ url: newPageLink() }) },
  ];
}
