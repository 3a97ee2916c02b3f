import type { ResponsesRequest } from "./schema.js";

type Check = (request: ResponsesRequest) => boolean;

/** Fields that we take and cannot act on, and when leaving them out makes a difference to the client. */
const checks: Readonly<Record<string, Check>> = {
  temperature: ({ temperature }) => isSet(temperature) && temperature !== 1,
  top_p: ({ top_p }) => isSet(top_p) && top_p !== 1,
  presence_penalty: ({ presence_penalty }) => Boolean(presence_penalty),
  frequency_penalty: ({ frequency_penalty }) => Boolean(frequency_penalty),
  top_logprobs: ({ top_logprobs }) => Boolean(top_logprobs),
  "message.output_text.logprobs": ({ include }) => include?.includes("message.output_text.logprobs") ?? false,
  max_tool_calls: ({ max_tool_calls }) => isSet(max_tool_calls),
  context_management: ({ context_management }) => (context_management ?? []).length > 0,
  "text.verbosity": ({ text }) => isSet(text?.verbosity) && text?.verbosity !== "medium",
  service_tier: ({ service_tier }) => isSet(service_tier) && !["auto", "default"].includes(service_tier),
};

/** One sentence that names the fields, or none. */
export function warnOfUnhonoured(request: ResponsesRequest): string[] {
  const fields = Object.keys(checks).filter((field) => checks[field]?.(request));
  return fields.length === 0 ? [] : [`Not honoured here, and left out: ${fields.join(", ")}.`];
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
