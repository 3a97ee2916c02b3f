import type { ResponsesRequest } from "./schema.js";

export type EchoedSettings = ReturnType<typeof toSettings>;

export function toSettings(request: ResponsesRequest) {
  return {
    instructions: request.instructions ?? null,
    previous_response_id: request.previous_response_id || null,
    store: request.store ?? true,
    background: request.background ?? false,
    metadata: request.metadata ?? {},
    tools: (request.tools ?? []).map(toEchoedTool),
    tool_choice: request.tool_choice ?? "auto",
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    max_tool_calls: request.max_tool_calls ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    reasoning: {
      ...request.reasoning,
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? null,
    },
    text: {
      ...request.text,
      format: toEchoedFormat(request.text?.format),
      verbosity: request.text?.verbosity ?? "medium",
    },
    truncation: request.truncation ?? "disabled",
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    top_logprobs: request.top_logprobs ?? 0,
    service_tier: "default",
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    ...(request.conversation && { conversation: { id: request.conversation } }),
    // The API's description does not allow null here.
    ...(request.user && { user: request.user }),
  };
}

function toEchoedTool(tool: NonNullable<ResponsesRequest["tools"]>[number]): object {
  return tool.type === "function" ? { description: null, parameters: null, strict: null, ...tool } : tool;
}

function toEchoedFormat(format: NonNullable<ResponsesRequest["text"]>["format"]): object {
  if (!format) return { type: "text" };
  return format.type === "json_schema" ? { description: null, strict: null, ...format } : format;
}
