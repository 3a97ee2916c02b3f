import { z } from "zod";
import { estimatedInput } from "../../turn/estimate.js";
import type { Endpoint } from "../dialect.js";
import { countResponseInputTokens } from "./openapi.js";
import { parseRequest } from "./parse.js";

/** Unlike a response, a count needs no model: the estimate is the same for all. */
const CountedRequest = z
  .looseObject({ model: z.unknown().optional() })
  .transform((request) => ({ ...request, model: request.model ?? "auto" }));

/** Cursor does not count tokens in advance, so the answer is the gateway's own estimate. */
export const inputTokens: Endpoint = {
  method: "POST",
  path: "/v1/responses/input_tokens",
  description: countResponseInputTokens,
  answer(request) {
    const counted = CountedRequest.safeParse(request.body);
    const body = counted.success ? counted.data : request.body;
    const { turn } = parseRequest({ body, store: request.store });
    return {
      body: { object: "response.input_tokens", input_tokens: estimatedInput(turn) },
      headers: { "x-curlew-usage": "estimated" },
    };
  },
};
