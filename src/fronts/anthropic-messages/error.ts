import type { ErrorKind, GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { statuses } from "../parts/status.js";
import { toFrame } from "./message.js";

/** Anthropic has its own status for this error. */
const OVERLOADED_STATUS = 529;

const types: Readonly<Record<ErrorKind, string>> = {
  "bad-request": "invalid_request_error",
  "not-found": "not_found_error",
  method: "invalid_request_error",
  "request-timeout": "timeout_error",
  "too-large": "request_too_large",
  "media-type": "invalid_request_error",
  confirmation: "invalid_request_error",
  authentication: "authentication_error",
  permission: "permission_error",
  "rate-limit": "rate_limit_error",
  quota: "rate_limit_error",
  canceled: "api_error",
  internal: "api_error",
  "not-implemented": "invalid_request_error",
  upstream: "api_error",
  timeout: "timeout_error",
  overloaded: "overloaded_error",
};

/** Anthropic's form of an error. Our own code and the bad field are added to it. */
export function writeError(error: GatewayError, requestId: string): WrittenError {
  const { kind, message, code, param } = error;
  const type = types[kind];
  const status = kind === "overloaded" ? OVERLOADED_STATUS : statuses[kind];
  const details = code === "thread_unsupported" ? threadsUnsupported : undefined;
  const body = {
    type: "error",
    error: { type, message, code, ...(param !== undefined && { param }), ...(details && { details }) },
    request_id: requestId || null,
  };
  return { status, body, frame: toFrame(body) };
}

/** The official client recognises these words, and then goes on without a thread. */
const threadsUnsupported = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
