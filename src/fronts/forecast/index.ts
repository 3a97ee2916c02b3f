import { GatewayError } from "../../turn/error.js";
import { addressesOf, type Endpoint, type RouteGroup } from "../dialect.js";
import type { AddressedRequest, Front } from "../front.js";
import { anthropicError, openAiError } from "../openapi/index.js";
import { forecastTurn } from "./openapi.js";

/** What a request would cost: its body is that of any front. The first front takes bodies that no other claims. */
export function forecastRoutes(fronts: readonly Front<unknown>[]): RouteGroup {
  const endpoint: Endpoint = {
    method: "POST",
    path: "/v1/curlew/forecast",
    description: forecastTurn,
    async answer(request) {
      const front = frontOf(request, fronts);
      const { continuity, tokensSentAgain, needsConfirmation } = await request.forecast(front);
      const [state = "", reason = null] = continuity.split(":");
      return {
        body: {
          object: "curlew.forecast",
          route: front.path,
          continuity,
          state,
          reason,
          tokens_sent_again: tokensSentAgain,
          needs_confirmation: needsConfirmation,
        },
      };
    },
  };
  return { fronts: [], endpoints: [endpoint], errorShapes: [openAiError, anthropicError] };
}

/** The front that the request names, or else the one that its body is for. */
function frontOf(request: AddressedRequest, fronts: readonly Front<unknown>[]): Front<unknown> {
  const route = request.query("route");
  const front =
    route === undefined
      ? (fronts.find(({ claims }) => claims?.(request)) ?? fronts[0])
      : fronts.find(({ path }) => addressesOf(path).includes(route));
  if (front !== undefined) return front;
  const known = fronts.map(({ path }) => path).join(", ");
  throw new GatewayError("invalid_request", `route: must be one of ${known}.`, { param: "route" });
}
