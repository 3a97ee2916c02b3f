import { z } from "zod";
import type { RouteDescription } from "../openapi/index.js";
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

export const createResponse: RouteDescription = {
  operationId: "createResponse",
  summary: "Answers a conversation and keeps the answer: OpenAI's Responses.",
  request: { name: "ResponsesRequest", schema: DescribedRequest },
  replies: [{ name: "OpenAiResponse", schema: OpenAiResponse }],
  canStream: true,
};

export const compactConversation: RouteDescription = {
  operationId: "compactConversation",
  summary: "Makes one item of a conversation, which stands in for it in later requests.",
  request: { name: "ResponsesRequest", schema: DescribedRequest },
  replies: [{ name: "CompactedConversation", schema: CompactedConversation }],
};

export const countResponseInputTokens: RouteDescription = {
  operationId: "countResponseInputTokens",
  summary: "Estimates how many tokens the input of a response has.",
  request: { name: "ResponsesRequest", schema: DescribedRequest },
  replies: [{ name: "InputTokenCount", schema: InputTokenCount }],
};

export const getResponse: RouteDescription = {
  operationId: "getResponse",
  summary: "Gives a response that was stored.",
  parameters: [responseId],
  replies: [{ name: "OpenAiResponse", schema: OpenAiResponse }],
};

export const deleteResponse: RouteDescription = {
  operationId: "deleteResponse",
  summary: "Forgets a response that was stored.",
  parameters: [responseId],
  replies: [{ name: "DeletedResponse", schema: DeletedResponse }],
};

export const listInputItems: RouteDescription = {
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
};

export const cancelResponse: RouteDescription = {
  operationId: "cancelResponse",
  summary: "Is always refused: no response is made in the background, and only such can be cancelled.",
  parameters: [responseId],
  replies: [],
  alwaysFails: true,
};
