import type { MessagesRequest } from "./schema.js";

type Check = (request: MessagesRequest) => boolean;

/** Fields that we take and cannot act on, and when leaving them out makes a difference to the client. */
const checks: Readonly<Record<string, Check>> = {
  temperature: ({ temperature }) => isSet(temperature) && temperature !== 1,
  top_p: ({ top_p }) => isSet(top_p) && top_p !== 1,
  top_k: ({ top_k }) => isSet(top_k),
  mcp_servers: ({ mcp_servers }) => isSet(mcp_servers) && mcp_servers.length > 0,
  container: ({ container }) => isSet(container),
  speed: ({ speed }) => isSet(speed) && speed !== "standard",
  fallbacks: ({ fallbacks }) => isSet(fallbacks),
};

/** One sentence that names the fields, or none. */
export function warnOfUnhonoured(request: MessagesRequest): string[] {
  const fields = Object.keys(checks).filter((field) => checks[field]?.(request));
  return fields.length === 0 ? [] : [`Not honoured here, and left out: ${fields.join(", ")}.`];
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
