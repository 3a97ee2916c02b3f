import type { ErrorKind, GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";

interface ErrorForm {
  readonly status: number;
  /** Its type in OpenAI's dialects, and in Anthropic's. */
  readonly openAi: string;
  readonly anthropic: string;
}

export const errorForms: Readonly<Record<ErrorKind, ErrorForm>> = {
  "bad-request": { status: 400, openAi: "invalid_request_error", anthropic: "invalid_request_error" },
  authentication: { status: 401, openAi: "authentication_error", anthropic: "authentication_error" },
  permission: { status: 403, openAi: "permission_error", anthropic: "permission_error" },
  "not-found": { status: 404, openAi: "invalid_request_error", anthropic: "not_found_error" },
  method: { status: 405, openAi: "invalid_request_error", anthropic: "invalid_request_error" },
  "request-timeout": { status: 408, openAi: "invalid_request_error", anthropic: "timeout_error" },
  "too-large": { status: 413, openAi: "invalid_request_error", anthropic: "request_too_large" },
  "media-type": { status: 415, openAi: "invalid_request_error", anthropic: "invalid_request_error" },
  "rate-limit": { status: 429, openAi: "rate_limit_error", anthropic: "rate_limit_error" },
  quota: { status: 429, openAi: "insufficient_quota", anthropic: "rate_limit_error" },
  // Nginx's status for a client that left. Only the log shows it.
  canceled: { status: 499, openAi: "api_error", anthropic: "api_error" },
  internal: { status: 500, openAi: "internal_error", anthropic: "api_error" },
  "not-implemented": { status: 501, openAi: "invalid_request_error", anthropic: "invalid_request_error" },
  upstream: { status: 502, openAi: "api_error", anthropic: "api_error" },
  overloaded: { status: 503, openAi: "api_error", anthropic: "overloaded_error" },
  timeout: { status: 504, openAi: "api_error", anthropic: "timeout_error" },
};

/** The form of an error in all of OpenAI's dialects. The status is also inside. */
export function toOpenAiError(error: GatewayError) {
  const { message, code, param = null } = error;
  const { status, openAi: type } = errorForms[error.kind];
  return { message, type, code, param, status };
}

export function writeError(error: GatewayError): WrittenError {
  const body = { error: toOpenAiError(error) };
  // [DONE] does not follow: it marks a complete answer, and this one is broken. The official client throws at the error and
  // reads no further; others notice the end of the stream.
  return { status: body.error.status, body, frame: { data: JSON.stringify(body) } };
}
