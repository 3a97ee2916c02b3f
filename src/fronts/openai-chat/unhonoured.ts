import type { ChatRequest } from "./schema.js";

type Check = (request: ChatRequest) => boolean;

/** Fields that we take and cannot act on, and when leaving them out makes a difference to the client. */
const checks: Readonly<Record<string, Check>> = {
  temperature: ({ temperature }) => isSet(temperature) && temperature !== 1,
  top_p: ({ top_p }) => isSet(top_p) && top_p !== 1,
  seed: ({ seed }) => isSet(seed),
  presence_penalty: ({ presence_penalty }) => isSet(presence_penalty) && presence_penalty !== 0,
  frequency_penalty: ({ frequency_penalty }) => isSet(frequency_penalty) && frequency_penalty !== 0,
  logit_bias: ({ logit_bias }) => isSet(logit_bias) && Object.keys(logit_bias).length > 0,
  verbosity: ({ verbosity }) => isSet(verbosity) && verbosity !== "medium",
  prediction: ({ prediction }) => isSet(prediction),
  store: ({ store }) => store === true,
  service_tier: ({ service_tier }) => isSet(service_tier) && !["auto", "default"].includes(service_tier),
  web_search_options: ({ web_search_options }) => isSet(web_search_options),
};

/** One sentence that names the fields, or none. */
export function warnOfUnhonoured(request: ChatRequest): string[] {
  const fields = Object.keys(checks).filter((field) => checks[field]?.(request));
  return fields.length === 0 ? [] : [`Not honoured here, and left out: ${fields.join(", ")}.`];
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
