import { field } from "../../turn/read-json.js";
import type { Dialect } from "../dialect.js";
import { serverSentEvents } from "../frame.js";
import type { SocketFront } from "../front.js";
import { openAiError } from "../openapi/index.js";
import { writeError as writeOpenAiError } from "../parts/openai-error.js";
import { compact } from "./compact.js";
import { writeError } from "./error.js";
import { inputTokens } from "./input-tokens.js";
import { createResponse } from "./openapi.js";
import { parseRequest, type ResponsesOptions } from "./parse.js";
import { writeReply } from "./reply.js";
import type { ResponseObject } from "./response.js";
import { readMessage, writeErrorMessage } from "./socket-messages.js";
import { storedEndpoints } from "./stored/endpoints.js";
import { keepResponse } from "./stored/input-items.js";
import { ResponsesStreamEncoder } from "./stream.js";

const responses: SocketFront<ResponsesOptions, ResponseObject> = {
  path: "/v1/responses",
  dialect: "openai-responses",
  description: createResponse,
  claims: ({ body }) => field(body, "input") !== undefined || field(body, "previous_response_id") !== undefined,
  parse: parseRequest,
  reply: writeReply,
  framing: serverSentEvents,
  encoder: (request, head, out) => new ResponsesStreamEncoder(request, head, out),
  backgroundEncoder: (request, head, out) => new ResponsesStreamEncoder(request, head, out),
  keep: keepResponse,
  error: writeError,
  readMessage,
  errorMessage: writeErrorMessage,
};

export const openaiResponses: Dialect = {
  fronts: [responses, compact],
  endpoints: [inputTokens, ...storedEndpoints],
  errorShapes: [openAiError],
  error: writeOpenAiError,
};
