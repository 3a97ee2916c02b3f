import type { Clock } from "../../clock.js";
import type { Front } from "../front.js";
import { writeError } from "./error.js";
import { parseRequest, type ResponsesOptions } from "./parse.js";
import { writeReply } from "./reply.js";
import { ResponsesStreamEncoder } from "./stream.js";

/** OpenAI's Responses. Responses tell when they began and ended, hence the clock. */
export function createOpenAiResponses({ now }: Pick<Clock, "now">): Front<ResponsesOptions> {
  return {
    path: "/v1/responses",
    parse: (body, _, shelf) => parseRequest(body, shelf),
    reply: (result, request, facts) => writeReply(result, request, facts, now),
    encoder: (request, facts) => new ResponsesStreamEncoder(request, facts, now),
    error: (error, requestId) => writeError(error, requestId, now),
  };
}

export { takeSockets } from "../websocket/socket-route.js";
export { createCompact } from "./compact.js";
export { serveInputTokens } from "./input-tokens.js";
export {
  deleteStoredResponse,
  refuseCancelling,
  serveInputItems,
  serveStoredResponse,
} from "./stored/stored-routes.js";
