import type { ErrorKind, GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { statuses } from "./status.js";

const types: Readonly<Record<ErrorKind, string>> = {
  "bad-request": "invalid_request_error",
  "not-found": "invalid_request_error",
  method: "invalid_request_error",
  "request-timeout": "invalid_request_error",
  "too-large": "invalid_request_error",
  "media-type": "invalid_request_error",
  confirmation: "invalid_request_error",
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
