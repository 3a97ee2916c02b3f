import type { ErrorKind, GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { toFrame } from "./frame.js";

interface Wording {
  status: number;
  type: string;
}

const wordings: Readonly<Record<ErrorKind, Wording>> = {
  "bad-request": { status: 400, type: "invalid_request_error" },
  "not-found": { status: 404, type: "not_found_error" },
  method: { status: 405, type: "invalid_request_error" },
  "request-timeout": { status: 408, type: "timeout_error" },
  "too-large": { status: 413, type: "request_too_large" },
  "media-type": { status: 415, type: "invalid_request_error" },
  authentication: { status: 401, type: "authentication_error" },
  permission: { status: 403, type: "permission_error" },
  "rate-limit": { status: 429, type: "rate_limit_error" },
  quota: { status: 429, type: "rate_limit_error" },
  // Nginx's number for a client that went away; nobody is there to read it, but the log is.
  canceled: { status: 499, type: "api_error" },
  internal: { status: 500, type: "api_error" },
  "not-implemented": { status: 501, type: "invalid_request_error" },
  upstream: { status: 502, type: "api_error" },
  timeout: { status: 504, type: "timeout_error" },
  overloaded: { status: 529, type: "overloaded_error" },
};

/** Anthropic's form of an error, with our own code and the field at fault beside it. */
export function writeError(error: GatewayError, requestId: string): WrittenError {
  const { status, type } = wordings[error.kind];
  const { message, code, param } = error;
  const details = code === "thread_unsupported" ? threadsUnsupported : undefined;
  const body = {
    type: "error",
    error: { type, message, code, ...(param !== undefined && { param }), ...(details && { details }) },
    request_id: requestId || null,
  };
  return { status, body, frame: toFrame(body) };
}

/** By these words the official client knows that it may go on without a thread. */
const threadsUnsupported = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
