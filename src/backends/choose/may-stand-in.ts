import type { ErrorCode } from "../../turn/error.js";

/**
 * What is wrong with a road, or with something along it. Where the request, the account or its quota is the trouble, another
 * road would only meet it again, or get around a limit that is meant.
 */
export const troublesOfTheRoad: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "client_outdated",
  "network_blocked",
  "overloaded",
  // It is not installed, or broken on this machine.
  "server_error",
  "timeout",
  "upstream_error",
  "upstream_overloaded",
  "upstream_unreachable",
]);

/** Whether another backend may be asked instead, as far as the failure goes. */
export function mayStandIn(code: ErrorCode): boolean {
  return troublesOfTheRoad.has(code);
}
