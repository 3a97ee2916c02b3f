import { CountRequest, MessagesRequest } from "../anthropic-messages/schema.js";
import { ChatRequest } from "../openai-chat/schema.js";
import { CompletionRequest } from "../openai-completions/schema.js";
import { DescribedRequest } from "../openai-responses/described-request.js";
import { AnthropicMessage, AnthropicModel, AnthropicModelList, TokenCount } from "./anthropic-shapes.js";
import type { DescribedRoute } from "./described-route.js";
import { Health, OpenApiDocument, ToolList } from "./gateway-shapes.js";
import { ChatCompletion, OpenAiModel, OpenAiModelList, TextCompletion } from "./openai-shapes.js";
import {
  CompactedConversation,
  DeletedResponse,
  InputItemList,
  InputTokenCount,
  OpenAiResponse,
} from "./responses-shapes.js";

const dialectHeader = {
  name: "anthropic-version",
  in: "header",
  description: "When present, the answer comes in Anthropic's form.",
  schema: { type: "string" },
} as const;

const pageOf = (name: string, description: string, type: "string" | "integer" = "string") =>
  ({ name, in: "query", description: `${description} In Anthropic's form only.`, schema: { type } }) as const;

const responseId = {
  name: "id",
  in: "path",
  description: "The id of a response that was stored.",
  schema: { type: "string" },
} as const;

/** Every route of the server; a test compares. */
export const describedRoutes: readonly DescribedRoute[] = [
  {
    method: "post",
    path: "/v1/chat/completions",
    alias: "/chat/completions",
    operationId: "createChatCompletion",
    summary: "Answers a conversation: OpenAI's Chat Completions.",
    request: { name: "ChatCompletionRequest", schema: ChatRequest },
    replies: [{ name: "ChatCompletion", schema: ChatCompletion }],
    canStream: true,
    errors: ["openai"],
  },
  {
    method: "post",
    path: "/v1/completions",
    alias: "/completions",
    operationId: "createCompletion",
    summary: "Continues a text: OpenAI's Completions, the form from before chats.",
    request: { name: "CompletionRequest", schema: CompletionRequest },
    replies: [{ name: "TextCompletion", schema: TextCompletion }],
    canStream: true,
    errors: ["openai"],
  },
  {
    method: "post",
    path: "/v1/responses",
    alias: "/responses",
    operationId: "createResponse",
    summary: "Answers a conversation and keeps the answer: OpenAI's Responses.",
    request: { name: "ResponsesRequest", schema: DescribedRequest },
    replies: [{ name: "OpenAiResponse", schema: OpenAiResponse }],
    canStream: true,
    errors: ["openai"],
  },
  {
    method: "post",
    path: "/v1/responses/compact",
    alias: "/responses/compact",
    operationId: "compactConversation",
    summary: "Makes one item of a conversation, which stands in for it in later requests.",
    request: { name: "ResponsesRequest", schema: DescribedRequest },
    replies: [{ name: "CompactedConversation", schema: CompactedConversation }],
    errors: ["openai"],
  },
  {
    method: "post",
    path: "/v1/responses/input_tokens",
    alias: "/responses/input_tokens",
    operationId: "countResponseInputTokens",
    summary: "Estimates how many tokens the input of a response has.",
    request: { name: "ResponsesRequest", schema: DescribedRequest },
    replies: [{ name: "InputTokenCount", schema: InputTokenCount }],
    errors: ["openai"],
  },
  {
    method: "get",
    path: "/v1/responses/{id}",
    alias: "/responses/{id}",
    operationId: "getResponse",
    summary: "Gives a response that was stored.",
    parameters: [responseId],
    replies: [{ name: "OpenAiResponse", schema: OpenAiResponse }],
    errors: ["openai"],
  },
  {
    method: "delete",
    path: "/v1/responses/{id}",
    operationId: "deleteResponse",
    summary: "Forgets a response that was stored.",
    parameters: [responseId],
    replies: [{ name: "DeletedResponse", schema: DeletedResponse }],
    errors: ["openai"],
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
    errors: ["openai"],
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
    errors: ["openai"],
  },
  {
    method: "post",
    path: "/v1/messages",
    alias: "/messages",
    operationId: "createMessage",
    summary: "Answers a conversation: Anthropic's Messages.",
    request: { name: "MessagesRequest", schema: MessagesRequest },
    replies: [{ name: "AnthropicMessage", schema: AnthropicMessage }],
    canStream: true,
    errors: ["anthropic"],
  },
  {
    method: "post",
    path: "/v1/messages/count_tokens",
    alias: "/messages/count_tokens",
    operationId: "countMessageTokens",
    summary: "Estimates how many tokens a request has.",
    request: { name: "CountTokensRequest", schema: CountRequest },
    replies: [{ name: "TokenCount", schema: TokenCount }],
    errors: ["anthropic"],
  },
  {
    method: "get",
    path: "/api/hello",
    operationId: "sayHello",
    summary: "Says that somebody is there.",
    replies: [],
    errors: ["openai", "anthropic"],
    isOpen: true,
  },
  {
    method: "get",
    path: "/v1/models",
    alias: "/models",
    operationId: "listModels",
    summary: "Lists the models of the account.",
    parameters: [
      dialectHeader,
      pageOf("limit", "How many models a page holds, 1 to 1000.", "integer"),
      pageOf("after_id", "The page begins after this model."),
      pageOf("before_id", "The page ends before this model."),
    ],
    replies: [
      { name: "OpenAiModelList", schema: OpenAiModelList },
      { name: "AnthropicModelList", schema: AnthropicModelList },
    ],
    errors: ["openai", "anthropic"],
  },
  {
    method: "get",
    path: "/v1/models/{id}",
    alias: "/models/{id}",
    operationId: "getModel",
    summary: "Tells about one model, by any name that requests may use for it.",
    parameters: [
      {
        name: "id",
        in: "path",
        description: "The model's name; slashes and colons need no escaping.",
        schema: { type: "string" },
      },
      dialectHeader,
    ],
    replies: [
      { name: "OpenAiModel", schema: OpenAiModel },
      { name: "AnthropicModel", schema: AnthropicModel },
    ],
    errors: ["openai", "anthropic"],
  },
  {
    method: "get",
    path: "/v1/tools",
    operationId: "listTools",
    summary: "Lists the MCP tools that the gateway runs itself.",
    replies: [{ name: "ToolList", schema: ToolList }],
    errors: ["openai"],
  },
  {
    method: "get",
    path: "/health",
    operationId: "getHealth",
    summary: "Tells version, backend and how the gateway is.",
    replies: [{ name: "Health", schema: Health }],
    errors: ["openai"],
    isOpen: true,
  },
  {
    method: "get",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "This document.",
    replies: [{ name: "OpenApiDocument", schema: OpenApiDocument }],
    errors: ["openai"],
  },
];
