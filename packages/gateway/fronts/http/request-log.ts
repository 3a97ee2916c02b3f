import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../core/index.js";
import { clientNameOf, labelledClient } from "../../turn/client-name.js";
import type { ErrorKind } from "../../turn/error.js";
import { RequestRecord } from "../../turn/events/channels.js";
import type { RequestLog, RouteDeps } from "./route-deps.js";

/** A client may choose the id of its request, within limits: the id goes into headers, logs and upstream. */
export const REQUEST_ID = /^[\w.:-]{1,128}$/;

export function beginRecord(
  { headers }: Pick<IncomingMessage, "headers">,
  outgoing: ServerResponse,
  { gatewayId, clock, newId }: Pick<RouteDeps, "gatewayId" | "clock" | "newId">,
): RequestRecord {
  const given = headers["x-request-id"];
  const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : newId();
  // The header is set on the raw response, so that every kind of answer carries it.
  outgoing.setHeader("x-request-id", requestId);
  outgoing.setHeader("request-id", requestId); // Anthropic's clients look for it here
  return new RequestRecord(gatewayId, requestId, clock.now());
}

interface LoggedRequest {
  route: string;
  status: number;
  record: RequestRecord;
  endedMs: number;
}

export function writeLine(log: RequestLog, { route, status, record, endedMs }: LoggedRequest): void {
  const { requestId, error } = record;
  if (error?.kind === "internal") log.error({ requestId, err: error.cause }, "request failed");
  log[levelOf(record, status)](toFields(route, status, record, endedMs), "request");
}

/** The failures that the client did not cause. */
const seriousKinds: readonly ErrorKind[] = ["internal", "overloaded", "timeout", "upstream"];

/** A reply that has begun has the status of success, so the kind of its error counts. A client that leaves is not a failure. */
function levelOf({ outcome, error }: RequestRecord, status: number): keyof RequestLog {
  if (outcome === "client-left" || error?.kind === "canceled") return "info";
  if (status >= 400) return status >= 500 ? "error" : "warn";
  if (error === undefined) return "info";
  return seriousKinds.includes(error.kind) ? "error" : "warn";
}

/** The log omits undefined fields. */
function toFields(route: string, status: number, record: RequestRecord, endedMs: number): object {
  const { requestId, client, startedMs, firstByteMs, bytes, batches, outcome, error, warnings } = record;
  const { askedModel, model, backend, side, continuity, cacheMiss, sentAgainTokens, stream, joined, background } =
    record;
  const usage = record.turnUsage ?? record.usage;
  const isTurn = askedModel !== "";
  return {
    route,
    status,
    requestId,
    outcome,
    error: error?.message,
    client: client || undefined,
    side,
    stream: isTurn ? stream : undefined,
    model: isTurn ? (model ?? askedModel) : undefined,
    inputTokens: usage?.inputTokens,
    cachedTokens: usage?.cacheReadTokens,
    outputTokens: usage?.outputTokens,
    estimated: usage?.estimated || undefined,
    continuity,
    cacheMiss,
    sentAgainTokens: sentAgainTokens || undefined,
    backend,
    joined,
    background,
    breaker: error?.isFromBreaker ? "open" : undefined,
    warnings: warnings?.length ? warnings : undefined,
    firstByteMs: firstByteMs === undefined ? undefined : firstByteMs - startedMs,
    totalMs: endedMs - startedMs,
    bytes: bytes || undefined,
    batches: batches || undefined,
  };
}

const MAX_NAME_LENGTH = 60;

export function noteClient(
  record: RequestRecord,
  { headers }: Pick<IncomingMessage, "headers">,
  { id, name }: Caller,
): void {
  record.caller = id;
  record.isNamedKey = name !== undefined;
  noteProgram(record, headers);
  const needsKey = id !== "";
  const label = needsKey ? undefined : labelledClient([headers.authorization, headers["x-api-key"]]);
  record.client = name ?? label ?? record.client;
  const { traceparent } = headers;
  if (typeof traceparent === "string") record.traceParent = traceparent;
}

/** Names the client by its program alone. */
export function noteProgram(record: RequestRecord, headers: IncomingMessage["headers"]): void {
  record.userAgent = productOf(headers["user-agent"]);
  record.client = clientNameOf(record.userAgent);
}

/** The first product of a user agent, such as `claude-cli/2.1.0`; empty if missing or not safe to show. */
export function productOf(userAgent: string | undefined): string {
  if (userAgent === undefined) return "";
  const end = userAgent.indexOf(" ");
  const product = end < 0 ? userAgent : userAgent.slice(0, end);
  return product.length <= MAX_NAME_LENGTH && /^[\x21-\x7e]*$/.test(product) ? product : "";
}
