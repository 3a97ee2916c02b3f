import { GatewayError } from "../turn/error.js";
import type { CloseReason } from "./backend.js";

/** The error of a turn that is closed before its end. */
export function closedBy(reason: CloseReason): GatewayError {
  return reason === "shutdown" ? stopping() : new GatewayError("canceled", "The turn was cancelled.");
}

export function stopping(): GatewayError {
  return new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
}
