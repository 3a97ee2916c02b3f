import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../system/clock.js";
import { GatewayError } from "../../turn/error.js";
import { noteFirstByte, type RequestRecord } from "../../turn/events/channels.js";
import type { Front } from "../front.js";

/** How long a client that was answered early may continue to send a body, which is discarded. */
export const LINGER_MS = 2_000;

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export function jsonAnswer(value: unknown, headers?: Readonly<Record<string, string>>, status = 200): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

/** Records that the client has left. The status is for the log alone. */
export function noteLeft(
  record: RequestRecord,
  { headersSent, statusCode }: Pick<ServerResponse, "headersSent" | "statusCode">,
): void {
  record.outcome = "client-left";
  record.status = headersSent ? statusCode : 499;
}

export function noteAnswer(record: RequestRecord, { status, body }: Answer, nowMs: number): void {
  record.status = status;
  record.bytes = Buffer.byteLength(body);
  noteFirstByte(record, nowMs);
}

export function writeAnswer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  const hasBody = status !== 204 && outgoing.req.method !== "HEAD";
  outgoing.writeHead(status, hasBody ? { ...headers, "content-length": Buffer.byteLength(body) } : headers);
  outgoing.end(body);
}

/** Discards the rest of an unread body. A client that continues to send it for long loses its connection. */
export function dropBody(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.destroyed) return;
  const stop = clock.after(LINGER_MS, () => incoming.socket.destroySoon());
  incoming.once("end", stop).once("close", stop);
  incoming.resume();
}

/**
 * Answers a request before its body was read to the end. Closing the connection at once would reset it while the client is
 * still sending, and the client would lose the answer. So the rest of the body is discarded for a while before the close.
 */
export async function answerEarly(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  clock: Clock,
  { status, headers, body }: Answer,
): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  incoming.once("end", stop).once("close", stop);
  outgoing.on("error", stop);
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body), connection: "close" });
  outgoing.write(body);
  incoming.resume();
  await clock.sleep(LINGER_MS, over.signal);
  outgoing.end();
}

export function toErrorAnswer(
  thrown: unknown,
  write: Front<unknown>["error"],
  record: RequestRecord,
  nowMs: number,
): Answer {
  const error = noteError(thrown, record);
  const { status, body: written } = write(error, record.requestId, nowMs);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (error.retryAfterMs !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  // The official clients of both vendors repeat a request after 429, and after 500 and above, unless this header forbids it.
  if (!error.shouldClientRetry) headers["x-should-retry"] = "false";
  if (error.isFromBreaker) headers["x-curlew-breaker"] = "open";
  return { status, headers, body: JSON.stringify(written) };
}

export function noteError(thrown: unknown, record: RequestRecord): GatewayError {
  const error = GatewayError.from(thrown);
  record.outcome = error.code;
  record.error = error;
  return error;
}
