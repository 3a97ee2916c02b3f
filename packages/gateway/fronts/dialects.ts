import { anthropicMessages } from "./anthropic-messages/index.js";
import type { Dialect } from "./dialect.js";
import { openaiChat } from "./openai-chat/index.js";
import { openaiCompletions } from "./openai-completions/index.js";
import { openaiResponses } from "./openai-responses/index.js";

/** The dialects that clients may speak. The first one writes all errors that no other dialect claims. */
export const dialects: readonly [Dialect, ...Dialect[]] = [
  openaiChat,
  openaiCompletions,
  openaiResponses,
  anthropicMessages,
];
