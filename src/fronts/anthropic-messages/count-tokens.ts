import { estimatedInput } from "../../turn/estimate.js";
import type { Endpoint } from "../dialect.js";
import { invalidRequest } from "../parts/request-problem.js";
import { toTurn } from "./parse.js";
import { CountRequest } from "./schema.js";

/** Cursor does not count in advance, so this is the estimate that other figures begin with. */
export const countTokens: Endpoint = {
  method: "POST",
  path: "/v1/messages/count_tokens",
  takesBody: true,
  answer({ body }) {
    const parsed = CountRequest.safeParse(body);
    if (!parsed.success) throw invalidRequest(parsed.error);
    return {
      body: { input_tokens: estimatedInput(toTurn(parsed.data)) },
      headers: { "x-curlew-usage": "estimated" },
    };
  },
};
