import type { Handler } from "hono";
import { z } from "zod";
import type { Shelf } from "../../gateway/index.js";
import { estimatedInput } from "../../turn/estimate.js";
import { requireJson } from "../http/body/media-type.js";
import { type BodyDeps, readJson } from "../http/body/read-body.js";
import { heldShelf } from "../http/held-shelf.js";
import type { RouteDeps } from "../http/journey.js";
import type { ServerEnv } from "../http/request-record.js";
import { parseRequest } from "./parse.js";

/** Unlike a response, a count may do without a model's name: the estimate is the same for all. */
const CountedRequest = z
  .looseObject({ model: z.unknown().optional() })
  .transform((request) => ({ ...request, model: request.model ?? "auto" }));

/** Cursor does not count in advance, so this is the estimate that other figures begin with. */
function countInputTokens(body: unknown, shelf: Shelf) {
  const request = CountedRequest.safeParse(body);
  const { turn } = parseRequest(request.success ? request.data : body, shelf);
  return { object: "response.input_tokens" as const, input_tokens: estimatedInput(turn) };
}

/** `POST /v1/responses/input_tokens` */
export function serveInputTokens(
  deps: BodyDeps & Pick<RouteDeps, "gateway" | "caller" | "accountOf">,
): Handler<ServerEnv> {
  return async (c) => {
    const { incoming } = c.env;
    requireJson(incoming.headers);
    const shelf = deps.gateway.shelf({ caller: deps.caller, account: deps.accountOf?.(incoming.headers) });
    const hold = deps.memory.hold();
    try {
      const count = countInputTokens(await readJson(incoming, hold, deps), heldShelf(shelf, hold));
      return Response.json(count, { headers: { "x-curlew-usage": "estimated" } });
    } finally {
      hold.release();
    }
  };
}
