/** What replies may have beyond the types of the official packages, by type name. */
export interface Allowances {
  /** Fields that are null, like from the vendor's own service, although the types forbid it. */
  readonly nulls: Readonly<Record<string, readonly string[]>>;
  /** Fields that the package adds itself and no service sends. */
  readonly made: Readonly<Record<string, readonly string[]>>;
  /** Values that the vendor's own service sends, although the types do not list them. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Our own fields, which other clients skip. */
  readonly ours: Readonly<Record<string, readonly string[]>>;
}

const errorFields = ["code", "param"];
/** The beta's types require these; the others do not know them. */
const betaUsageFields = ["iterations", "fallback_credit"];

export const openAiAllowances: Allowances = {
  nulls: {
    // The response is still under way.
    Response: ["usage"],
    // Repeated as null if the request left it out.
    ResponseFormatTextJSONSchemaConfig: ["description"],
    // The list is always empty.
    ResponseItemList: ["first_id", "last_id"],
  },
  made: { Response: ["output_text"] },
  // `context_length_exceeded`, `insufficient_quota` and others that Codex and other OpenAI clients look for.
  words: { ResponseError: ["code"] },
  ours: {
    // DeepSeek and others have this field, and clients read it.
    ChatCompletionMessage: ["reasoning_content"],
    "ChatCompletionChunk.Choice.Delta": ["reasoning_content"],
    ErrorObject: ["status"],
    Model: [
      "name",
      "context_window",
      "max_mode_context_window",
      "max_output_tokens",
      "max_completion_tokens",
      "reasoning",
      "attachment",
      "efforts",
    ],
    // Open Responses requires these, and OpenAI sends them.
    Response: ["store", "max_tool_calls", "presence_penalty", "frequency_penalty"],
    // Items have it in every other list.
    ResponseCustomToolCall: ["status"],
    ResponseCustomToolCallOutput: ["status"],
    CompletionUsage: ["curlew_turn"],
    ResponseUsage: ["curlew_turn"],
  },
};

export const anthropicAllowances: Allowances = {
  nulls: {},
  made: {},
  words: {},
  ours: {
    APIErrorObject: errorFields,
    AuthenticationError: errorFields,
    GatewayTimeoutError: errorFields,
    InvalidRequestError: errorFields,
    NotFoundError: errorFields,
    OverloadedError: errorFields,
    PermissionError: errorFields,
    RateLimitError: errorFields,
    Message: ["context_management"],
    RawMessageDeltaEvent: ["context_management"],
    Usage: ["curlew_turn", ...betaUsageFields],
    MessageDeltaUsage: ["curlew_turn", ...betaUsageFields],
  },
};
