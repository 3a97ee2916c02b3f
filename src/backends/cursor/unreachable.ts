import { whyUnreachable } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";

export function unreachable(origin: string, cause?: Error): GatewayError {
  const text = `Cursor's agent host ${origin} cannot be reached ${whyUnreachable(cause)}`;
  return new GatewayError("upstream_unreachable", text, { cause, isRetryable: true });
}
