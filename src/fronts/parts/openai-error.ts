import type { ErrorKind, GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";

interface Wording {
  status: number;
  type: string;
}

const wordings: Readonly<Record<ErrorKind, Wording>> = {
  "bad-request": { status: 400, type: "invalid_request_error" },
  "not-found": { status: 404, type: "invalid_request_error" },
  method: { status: 405, type: "invalid_request_error" },
  "request-timeout": { status: 408, type: "invalid_request_error" },
  "too-large": { status: 413, type: "invalid_request_error" },
  "media-type": { status: 415, type: "invalid_request_error" },
  authentication: { status: 401, type: "authentication_error" },
  permission: { status: 403, type: "permission_error" },
  "rate-limit": { status: 429, type: "rate_limit_error" },
  quota: { status: 429, type: "insufficient_quota" },
  // Nginx's number for a client that went away; nobody is there to read it, but the log is.
  canceled: { status: 499, type: "api_error" },
  internal: { status: 500, type: "internal_error" },
  "not-implemented": { status: 501, type: "invalid_request_error" },
  upstream: { status: 502, type: "api_error" },
  overloaded: { status: 503, type: "api_error" },
  timeout: { status: 504, type: "api_error" },
};

/** The form of an error in all of OpenAI's dialects, with the status inside as well. */
export function toOpenAiError(error: GatewayError) {
  const { status, type } = wordings[error.kind];
  return { message: error.message, type, code: error.code, param: error.param ?? null, status };
}

export function writeError(error: GatewayError): WrittenError {
  const body = { error: toOpenAiError(error) };
  // No [DONE] behind it: that marks a whole answer, and this is a broken one. The official client throws at the error
  // and reads no further; others go by the end of the stream.
  return { status: body.error.status, body, frame: { data: JSON.stringify(body) } };
}
