import { hash, timingSafeEqual } from "node:crypto";
import { jsonAnswer } from "@curlew/gateway/fronts/http/answer.js";
import type { RouteDeps } from "@curlew/gateway/fronts/http/route-deps.js";
import { type Guard, queryOf, type Route } from "@curlew/gateway/fronts/http/router.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { CONTROL_HEADER } from "./running-gateways.js";

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

/**
 * Lets only the owner's commands pass: they send the token that this gateway has written into a file of the owner. Browsers add
 * an origin to every POST of a page; commands send none.
 */
export function guardControl(token: string): Guard {
  const wanted = hash("sha256", token, "buffer");
  return ({ headers }) => {
    if (headers.origin !== undefined) {
      throw new GatewayError("forbidden_host", "Web pages may not use the routes of the owner's commands.");
    }
    const shown = headers[CONTROL_HEADER];
    if (typeof shown === "string" && timingSafeEqual(hash("sha256", shown, "buffer"), wanted)) return;
    throw new GatewayError(
      "invalid_gateway_key",
      `This route is for commands of the gateway's owner. They find the token for ${CONTROL_HEADER} in the owner's files.`,
    );
  };
}
