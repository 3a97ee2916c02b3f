import { GatewayError } from "../turn/error.js";
import type { CloseReason } from "./backend.js";

const STOPPED = "The owner of this gateway stopped this run (curlew stop). Send the request again to continue.";

export function closedBy(reason: CloseReason): GatewayError {
  if (reason === "shutdown") return stopping();
  return new GatewayError("canceled", reason === "stopped" ? STOPPED : "The turn was cancelled.");
}

export function stopping(): GatewayError {
  return new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
}
