import type { Handler } from "hono";
import { estimatedInput } from "../../turn/estimate.js";
import { requireJson } from "../http/body/media-type.js";
import { type BodyDeps, readJson } from "../http/body/read-body.js";
import type { ServerEnv } from "../http/request-record.js";
import { invalidRequest } from "../parts/request-problem.js";
import { toTurn } from "./parse.js";
import { CountRequest } from "./schema.js";

/** Cursor does not count in advance, so this is the estimate that other figures begin with. */
export function countTokens(body: unknown): { input_tokens: number } {
  const parsed = CountRequest.safeParse(body);
  if (!parsed.success) throw invalidRequest(parsed.error);
  return { input_tokens: estimatedInput(toTurn(parsed.data)) };
}

export function serveTokenCount(deps: BodyDeps): Handler<ServerEnv> {
  return async (c) => {
    const { incoming } = c.env;
    requireJson(incoming.headers);
    const hold = deps.memory.hold();
    try {
      const count = countTokens(await readJson(incoming, hold, deps));
      return Response.json(count, { headers: { "x-curlew-usage": "estimated" } });
    } finally {
      hold.release();
    }
  };
}
