import { GatewayError } from "../turn/error.js";
import type { CloseReason } from "./backend.js";

const STOPPED =
  "The owner of this gateway has stopped this run (curlew stop). Nothing is wrong with the request: send it again to go on.";

export function closedBy(reason: CloseReason): GatewayError {
  if (reason === "shutdown") return stopping();
  return new GatewayError("canceled", reason === "stopped" ? STOPPED : "The turn was cancelled.");
}

export function stopping(): GatewayError {
  return new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
}
