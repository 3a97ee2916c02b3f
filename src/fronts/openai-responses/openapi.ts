import { z } from "zod";
import { type DescribedRoute, openAiError } from "../openapi/index.js";
import { Input } from "./item-schema.js";
import {
  CompactedConversation,
  DeletedResponse,
  InputItemList,
  InputTokenCount,
  OpenAiResponse,
} from "./openapi-shapes.js";
import { ResponsesRequest } from "./schema.js";
import { Offer } from "./tool-schema.js";

/** The request with all its parts, as it is told to people. */
const DescribedRequest = ResponsesRequest.extend({
  input: z.union([z.string(), Input.shape.input]).nullish(),
  tools: Offer.shape.tools.nullish(),
  tool_choice: Offer.shape.tool_choice.nullish(),
});

const responseId = {
  name: "id",
  in: "path",
  description: "The id of a response that was stored.",
  schema: { type: "string" },
} as const;

export const describedRoutes: readonly DescribedRoute[] = [
  {
    method: "post",
    path: "/v1/responses",
    alias: "/responses",
    operationId: "createResponse",
    summary: "Answers a conversation and keeps the answer: OpenAI's Responses.",
    request: { name: "ResponsesRequest", schema: DescribedRequest },
    replies: [{ name: "OpenAiResponse", schema: OpenAiResponse }],
    canStream: true,
    errors: [openAiError],
  },
  {
    method: "post",
    path: "/v1/responses/compact",
    alias: "/responses/compact",
    operationId: "compactConversation",
    summary: "Makes one item of a conversation, which stands in for it in later requests.",
    request: { name: "ResponsesRequest", schema: DescribedRequest },
    replies: [{ name: "CompactedConversation", schema: CompactedConversation }],
    errors: [openAiError],
  },
  {
    method: "post",
    path: "/v1/responses/input_tokens",
    alias: "/responses/input_tokens",
    operationId: "countResponseInputTokens",
    summary: "Estimates how many tokens the input of a response has.",
    request: { name: "ResponsesRequest", schema: DescribedRequest },
    replies: [{ name: "InputTokenCount", schema: InputTokenCount }],
    errors: [openAiError],
  },
  {
    method: "get",
    path: "/v1/responses/{id}",
    alias: "/responses/{id}",
    operationId: "getResponse",
    summary: "Gives a response that was stored.",
    parameters: [responseId],
    replies: [{ name: "OpenAiResponse", schema: OpenAiResponse }],
    errors: [openAiError],
  },
  {
    method: "delete",
    path: "/v1/responses/{id}",
    operationId: "deleteResponse",
    summary: "Forgets a response that was stored.",
    parameters: [responseId],
    replies: [{ name: "DeletedResponse", schema: DeletedResponse }],
    errors: [openAiError],
  },
  {
    method: "get",
    path: "/v1/responses/{id}/input_items",
    alias: "/responses/{id}/input_items",
    operationId: "listInputItems",
    summary: "Lists what the request of a stored response brought.",
    parameters: [
      responseId,
      {
        name: "limit",
        in: "query",
        description: "How many items a page holds, 1 to 100.",
        schema: { type: "integer" },
      },
      { name: "after", in: "query", description: "The page begins after this item.", schema: { type: "string" } },
      { name: "order", in: "query", description: "asc, or desc (the default).", schema: { type: "string" } },
    ],
    replies: [{ name: "InputItemList", schema: InputItemList }],
    errors: [openAiError],
  },
  {
    method: "post",
    path: "/v1/responses/{id}/cancel",
    alias: "/responses/{id}/cancel",
    operationId: "cancelResponse",
    summary: "Is always refused: no response is made in the background, and only such can be cancelled.",
    parameters: [responseId],
    replies: [],
    alwaysFails: true,
    errors: [openAiError],
  },
];
