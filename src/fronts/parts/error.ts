import type { ErrorKind, GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";

export const statuses: Readonly<Record<ErrorKind, number>> = {
  "bad-request": 400,
  authentication: 401,
  permission: 403,
  "not-found": 404,
  method: 405,
  "request-timeout": 408,
  "too-large": 413,
  "media-type": 415,
  // No official client repeats this status by itself.
  "rate-limit": 429,
  quota: 429,
  // Nginx's status for a client that left. Only the log shows it.
  canceled: 499,
  internal: 500,
  "not-implemented": 501,
  upstream: 502,
  overloaded: 503,
  timeout: 504,
};

const types: Readonly<Record<ErrorKind, string>> = {
  "bad-request": "invalid_request_error",
  "not-found": "invalid_request_error",
  method: "invalid_request_error",
  "request-timeout": "invalid_request_error",
  "too-large": "invalid_request_error",
  "media-type": "invalid_request_error",
  authentication: "authentication_error",
  permission: "permission_error",
  "rate-limit": "rate_limit_error",
  quota: "insufficient_quota",
  canceled: "api_error",
  internal: "internal_error",
  "not-implemented": "invalid_request_error",
  upstream: "api_error",
  overloaded: "api_error",
  timeout: "api_error",
};

/** The form of an error in all of OpenAI's dialects. The status is also inside. */
export function toOpenAiError(error: GatewayError) {
  const { kind, message, code, param = null } = error;
  return { message, type: types[kind], code, param, status: statuses[kind] };
}

export function writeError(error: GatewayError): WrittenError {
  const body = { error: toOpenAiError(error) };
  // [DONE] does not follow: it marks a complete answer, and this one is broken. The official client throws at the error and
  // reads no further; others notice the end of the stream.
  return { status: body.error.status, body, frame: { data: JSON.stringify(body) } };
}
