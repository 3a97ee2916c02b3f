import { publish } from "./channels.js";
import type { RequestRecord } from "./request-record.js";

/** Publishes that a turn was posted and could be read. */
export function noteReceived(record: RequestRecord): void {
  publish("curlew:request:received", record);
}

/** Publishes the first byte of the reply, once. */
export function noteFirstByte(record: RequestRecord, nowMs: number): void {
  if (record.firstByteMs !== undefined) return;
  record.firstByteMs = nowMs;
  publish("curlew:request:first-byte", record);
}

/**
 * Publishes how a request has ended, once: right before the client can know that its reply is complete, so that what a turn took
 * is booked whatever happens then.
 */
export function noteEnded(record: RequestRecord, nowMs: number): void {
  if (record.endedMs !== undefined) return;
  record.endedMs = nowMs;
  publish(record.outcome === "ok" ? "curlew:request:finished" : "curlew:request:failed", record);
}
