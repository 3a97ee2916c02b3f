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

/** Publishes how a request has ended. Called once, when everything about it is known. */
export function noteEnded(record: RequestRecord, nowMs: number): void {
  record.endedMs = nowMs;
  publish(record.outcome === "ok" ? "curlew:request:finished" : "curlew:request:failed", record);
}
