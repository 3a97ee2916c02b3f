/** Every dialect: its name in the ledger and the metrics, and the one for people. A browser can load it too. */
export const dialectNames = {
  "openai-chat": "OpenAI Chat Completions",
  "openai-completions": "OpenAI Completions",
  "openai-responses": "OpenAI Responses",
  "anthropic-messages": "Anthropic Messages",
} as const;

export type DialectName = keyof typeof dialectNames;
