import type { ServerResponse } from "node:http";
import { GatewayError } from "../../turn/error.js";
import type { Front } from "../front.js";
import type { RequestRecord } from "./request-record.js";

/** A whole answer, ready to be written. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Nobody is there to read an answer; only the log is to know. */
export function noteLeft(record: RequestRecord, { headersSent, statusCode }: ServerResponse): void {
  record.outcome = "client-left";
  record.status = headersSent ? statusCode : 499;
}

export function noteAnswer(record: RequestRecord, { status, text }: Answer, nowMs: number): void {
  record.status = status;
  record.bytes = Buffer.byteLength(text);
  record.firstByteMs = nowMs;
}

export function writeAnswer(outgoing: ServerResponse, { status, headers, text }: Answer): void {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
}

/** An error as a whole answer in a dialect, noted in the request's record. */
export function toErrorAnswer(
  thrown: unknown,
  write: Front<unknown>["error"],
  record: RequestRecord,
  nowMs: number,
): Answer {
  const error = noteError(thrown, record);
  const { status, body } = write(error, record.requestId, nowMs);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (error.retryAfterMs !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  // The official clients of both vendors repeat by themselves what ends with 429, or with 500 and above, but for this header.
  if (!error.shouldClientRetry) headers["x-should-retry"] = "false";
  if (error.isFromBreaker) headers["x-curlew-breaker"] = "open";
  return { status, headers, text: JSON.stringify(body) };
}

/** The error as one of ours. */
export function noteError(thrown: unknown, record: RequestRecord): GatewayError {
  const error = GatewayError.from(thrown);
  record.outcome = error.code;
  record.error = error;
  return error;
}
