import { type LimitNotice, publish, type RequestRecord } from "../events/index.js";
import { GatewayError } from "../turn/error.js";

const HOUR_MS = 60 * 60_000;

/** Tells everybody who listens that a limit concerns a request. */
export function tell(
  { gateway, requestId }: RequestRecord,
  action: LimitNotice["action"],
  limit: string,
  message: string,
): void {
  publish("curlew:limit:reached", { gateway, requestId, action, limit, message });
}

/** The error for a request that a limit refuses, which everybody who listens is told of. */
export function refusalOf(
  record: RequestRecord,
  limit: string,
  message: string,
  endsInMs: number | undefined,
): GatewayError {
  tell(record, "refused", limit, message);
  // A program that waits for longer than an hour holds up its user for nothing.
  const isSoon = endsInMs !== undefined && endsInMs <= HOUR_MS;
  return new GatewayError("quota_exceeded", message, {
    isOwnRefusal: true,
    ...(isSoon && { retryAfterMs: Math.max(endsInMs, 0) }),
  });
}
