import { estimatedInput } from "../../turn/estimate.js";
import type { Endpoint } from "../dialect.js";
import { readBody } from "../parts/request-problem.js";
import { countMessageTokens } from "./openapi.js";
import { toTurn } from "./parse.js";
import { CountRequest } from "./schema.js";

/** Cursor does not count tokens in advance, so the answer is the gateway's own estimate, the same that a stream begins with. */
export const countTokens: Endpoint = {
  method: "POST",
  path: "/v1/messages/count_tokens",
  description: countMessageTokens,
  answer({ body }) {
    const input_tokens = estimatedInput(toTurn(readBody(CountRequest, body)));
    return { body: { input_tokens }, headers: { "x-curlew-usage": "estimated" } };
  },
};
