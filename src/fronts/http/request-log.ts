import type { MiddlewareHandler } from "hono";
import type { Clock } from "../../clock.js";
import { newRecord, type RequestRecord, type ServerEnv } from "./request-record.js";

/** The part of a logger that the client side needs: fields first, then a constant text. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface LogDeps {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Gives each request its id, and writes one line about it when it is over. */
export function logRequests(log: RequestLog, { clock, newId }: LogDeps): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const requestId = saneId(c.req.header("x-request-id")) ?? newId();
    const record = newRecord(requestId, clock);
    c.set("record", record);
    // The header is set on the raw response, so that every kind of answer carries it.
    c.env.outgoing.setHeader("x-request-id", requestId);
    c.env.outgoing.setHeader("request-id", requestId); // Anthropic's clients look for it here
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

/** Writes the line about one finished request. */
export function writeLine(log: RequestLog, { route, status, record, endedMs }: LoggedRequest): void {
  const { requestId, error } = record;
  if (error?.kind === "internal") log.error({ requestId, err: error.cause }, "request failed");
  log.info({ route, status, ...toFields(record, endedMs) }, "request");
}

function toFields(record: RequestRecord, endedMs: number): object {
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

/** A client may choose the id of its request, within limits: the id goes into headers, logs and upstream. */
function saneId(given: string | undefined): string | undefined {
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
