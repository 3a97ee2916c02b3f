import { whyUnreachable } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";

export function unreachable(origin: string, cause?: unknown): GatewayError {
  const text = `Cursor cannot be reached at ${origin} ${whyUnreachable(cause)}`;
  return new GatewayError("upstream_unreachable", text, { cause, isRetryable: true });
}

/** An answer that stopped before its end. */
export function brokenOff(cause?: unknown): GatewayError {
  const text = "The connection to Cursor broke off before the answer was complete. Try again.";
  return new GatewayError("upstream_error", text, { cause, isRetryable: true });
}
