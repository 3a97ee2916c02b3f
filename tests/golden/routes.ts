import type { VendorShape } from "../vendors/vendor-shape.js";
import { onePixel } from "./cases.js";

interface Asked {
  method?: "GET" | "POST" | "DELETE";
  path: string;
  body?: object;
  /** Whether to ask as Anthropic's clients do. */
  isAnthropic?: boolean;
}

/** Responses stored before the routes are requested. */
export interface StoredIds {
  /** Its input is `storedInput`. */
  id: string;
  /** It continues that one without its own input. */
  emptyId: string;
  /** A conversation that begins with `storedInput`. */
  conversation: string;
}

/** A route without a stream: its request, and the official package's type of its answer. */
export interface RecordedRoute {
  name: string;
  shape: VendorShape;
  /** Whether the answer is the same each time, including ids. */
  isFixed?: boolean;
  ask(stored: StoredIds): Asked;
}

const system = "Be brief.";
const user = [{ role: "user", content: "Hello there." }];
const words = (text: string) => [{ role: "user", content: text }];

/** One item of each kind. */
export const storedInput = [
  { role: "developer", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: `data:${onePixel.mimeType};base64,${onePixel.base64}` },
    ],
  },
  { type: "function_call", call_id: "call_a", name: "weather", arguments: '{"city":"Kiel"}' },
  { type: "function_call_output", call_id: "call_a", output: "rain" },
  { type: "custom_tool_call", call_id: "call_b", name: "shell", input: "ls" },
  { type: "custom_tool_call_output", call_id: "call_b", output: "a.txt" },
  { role: "assistant", content: "A pixel." },
  { role: "user", content: "[[usage 1200 34 1000 0 7]] [[say Thanks.]]" },
];

/** A rate limit blocks all requests for its model, so it gets its own. */
const modelFor = (name: string, limited: string) => (name === "rate-limit" ? limited : "auto");
const chatError = (name: string, text: string): RecordedRoute => ({
  name: `openai-error-${name}`,
  shape: "openai.error",
  ask: () => ({
    path: "/v1/chat/completions",
    body: { model: modelFor(name, "gpt-5.5-medium"), messages: words(`Chat: ${text}`) },
  }),
});
const messagesError = (name: string, text: string): RecordedRoute => ({
  name: `anthropic-error-${name}`,
  shape: "anthropic.error",
  ask: () => ({
    path: "/v1/messages",
    isAnthropic: true,
    body: { model: modelFor(name, "claude-opus-4-8-high"), max_tokens: 100, messages: words(`Messages: ${text}`) },
  }),
});
const failures = {
  authentication: "[[fail unauthenticated]]",
  permission: "[[fail permission_denied]]",
  "rate-limit": "[[fail resource_exhausted]]",
  overloaded: "[[fail unavailable ERROR_SLOW_POOL]]",
  upstream: "[[fail internal]]",
};

export const recordedRoutes: readonly RecordedRoute[] = [
  { name: "openai-models", shape: "openai.modelList", isFixed: true, ask: () => ({ path: "/v1/models" }) },
  { name: "openai-model", shape: "openai.model", isFixed: true, ask: () => ({ path: "/v1/models/auto" }) },
  {
    name: "anthropic-models",
    shape: "anthropic.modelList",
    isFixed: true,
    ask: () => ({ path: "/v1/models?limit=3", isAnthropic: true }),
  },
  {
    name: "anthropic-model",
    shape: "anthropic.model",
    isFixed: true,
    ask: () => ({ path: "/v1/models/auto", isAnthropic: true }),
  },
  {
    name: "anthropic-count-tokens",
    shape: "anthropic.tokenCount",
    ask: () => ({
      path: "/v1/messages/count_tokens",
      isAnthropic: true,
      body: { model: "auto", system, messages: user },
    }),
  },
  {
    name: "openai-input-tokens",
    shape: "openai.inputTokens",
    ask: () => ({ path: "/v1/responses/input_tokens", body: { model: "auto", instructions: system, input: user } }),
  },
  { name: "openai-stored-response", shape: "openai.response", ask: ({ id }) => ({ path: `/v1/responses/${id}` }) },
  {
    name: "openai-input-items",
    shape: "openai.inputItems",
    ask: ({ id }) => ({ path: `/v1/responses/${id}/input_items?order=asc` }),
  },
  {
    name: "openai-no-input-items",
    shape: "openai.inputItems",
    ask: ({ emptyId }) => ({ path: `/v1/responses/${emptyId}/input_items` }),
  },
  {
    name: "openai-new-conversation",
    shape: "openai.conversation",
    ask: () => ({ path: "/v1/conversations", body: { metadata: { topic: "birds" }, items: user } }),
  },
  {
    name: "openai-conversation",
    shape: "openai.conversation",
    ask: ({ conversation }) => ({ path: `/v1/conversations/${conversation}` }),
  },
  {
    name: "openai-conversation-items",
    shape: "openai.conversationItems",
    ask: ({ conversation }) => ({ path: `/v1/conversations/${conversation}/items?order=asc` }),
  },
  {
    name: "openai-response-in-conversation",
    shape: "openai.response",
    ask: ({ conversation }) => ({ path: "/v1/responses", body: { model: "auto", conversation, input: "[[say Hm.]]" } }),
  },
  {
    name: "openai-deleted-conversation",
    shape: "openai.deletedConversation",
    ask: ({ conversation }) => ({ method: "DELETE", path: `/v1/conversations/${conversation}` }),
  },
  {
    name: "openai-error-conversation",
    shape: "openai.error",
    ask: () => ({ path: "/v1/conversations/conv_nope" }),
  },
  {
    name: "openai-compaction",
    shape: "openai.compaction",
    ask: () => ({ path: "/v1/responses/compact", body: { model: "auto", input: "[[say In short.]]" } }),
  },
  {
    name: "openai-completion",
    shape: "openai.completion",
    ask: () => ({ path: "/v1/completions", body: { model: "auto", prompt: "[[say Upon a time.]]" } }),
  },
  { name: "openai-error-model", shape: "openai.error", ask: () => ({ path: "/v1/models/nope" }) },
  {
    name: "anthropic-error-model",
    shape: "anthropic.error",
    ask: () => ({ path: "/v1/models/nope", isAnthropic: true }),
  },
  { name: "openai-error-response", shape: "openai.error", ask: () => ({ path: "/v1/responses/resp_nope" }) },
  {
    name: "openai-error-cancel",
    shape: "openai.error",
    ask: ({ id }) => ({ method: "POST", path: `/v1/responses/${id}/cancel` }),
  },
  { name: "openai-error-unserved", shape: "openai.error", ask: () => ({ path: "/v1/embeddings", body: {} }) },
  {
    name: "anthropic-error-unserved",
    shape: "anthropic.error",
    ask: () => ({ path: "/v1/messages/batches", isAnthropic: true }),
  },
  {
    name: "openai-error-field",
    shape: "openai.error",
    ask: () => ({ path: "/v1/chat/completions", body: { model: "auto" } }),
  },
  {
    name: "anthropic-error-field",
    shape: "anthropic.error",
    ask: () => ({ path: "/v1/messages", isAnthropic: true, body: { model: "auto", messages: user } }),
  },
  ...Object.entries(failures).map(([name, text]) => chatError(name, text)),
  ...Object.entries(failures).map(([name, text]) => messagesError(name, text)),
];
