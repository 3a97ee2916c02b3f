import type { MiddlewareHandler } from "hono";
import { newRecord, type RequestRecord, type ServerEnv } from "./request-record.js";
import type { RouteDeps } from "./route-deps.js";

/** The part of a logger that the client side needs: facts first, then a text that is always the same. */
export interface RequestLog {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Gives each request its id, and writes one line about it when it is over. */
export function logRequests(log: RequestLog, { clock, newId }: RouteDeps): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const requestId = saneId(c.req.header("x-request-id")) ?? newId();
    const record = newRecord(requestId, clock);
    c.set("record", record);
    // On the raw response, so that every kind of answer carries it.
    c.env.outgoing.setHeader("x-request-id", requestId);
    c.env.outgoing.setHeader("request-id", requestId); // where Anthropic's clients look for it
    await next();
    const route = `${c.req.method} ${c.req.path.slice(0, 200)}`;
    writeLine(log, { route, status: record.status ?? c.res.status, record, endedMs: clock.now() });
  };
}

interface LoggedRequest {
  route: string;
  status: number;
  record: RequestRecord;
  endedMs: number;
}

/** The line about one request that is over. */
export function writeLine(log: RequestLog, { route, status, record, endedMs }: LoggedRequest): void {
  const { requestId, error } = record;
  if (error?.kind === "internal") log.error({ requestId, err: error.cause }, "request failed");
  log.info({ route, status, ...toFacts(record, endedMs) }, "request");
}

function toFacts(record: RequestRecord, endedMs: number): object {
  const { requestId, startedMs, firstByteMs, bytes, batches, outcome, error, status: _, warnings, ...rest } = record;
  return {
    requestId,
    outcome,
    ...rest,
    ...(error?.isFromBreaker && { breaker: "open" }),
    ...(warnings !== undefined && warnings.length > 0 && { warnings }),
    ...(firstByteMs !== undefined && { firstByteMs: firstByteMs - startedMs }),
    totalMs: endedMs - startedMs,
    ...(bytes > 0 && { bytes }),
    ...(batches > 0 && { batches }),
  };
}

/** A client may name its request, within reason: the id goes into headers, logs and upstream. */
function saneId(given: string | undefined): string | undefined {
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
