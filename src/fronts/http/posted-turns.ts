import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "hono";
import type { Caller } from "../../keys/index.js";
import { beginRecord, noteClient, writeLine } from "./request-log.js";
import type { ServeTurn } from "./route.js";
import type { RouteDeps } from "./route-deps.js";
import type { ServerEnv } from "./server-env.js";

interface ShortWay {
  /** The turns that can be posted, by their addresses. */
  readonly posted: ReadonlyMap<string, ServeTurn>;
  /** The same guards as those before the router's routes, in the same order. */
  readonly guards: readonly ((incoming: IncomingMessage, outgoing: ServerResponse) => void)[];
  /** The last of them, which finds out whose request it is. */
  readonly identify: (incoming: IncomingMessage, outgoing: ServerResponse) => Caller;
  readonly deps: Pick<RouteDeps, "gatewayId" | "clock" | "newId" | "log">;
  readonly router: RequestListener;
}

/**
 * Posted turns are nearly all that a gateway is asked. They pass the guards and go to their front directly: no router, no chain of
 * middleware, no Request and Response of the web, which would be a fifth of what a short request costs. Whatever is not plainly
 * such a request, or is refused by a guard, goes through the router, so that every answer but a front's own is written in one
 * place.
 */
export function takePostedTurns(way: ShortWay): RequestListener {
  return (incoming, outgoing) => {
    const serve = isPlainPost(incoming) ? way.posted.get(pathOf(incoming.url)) : undefined;
    const caller = serve && callerPast(way, incoming, outgoing);
    if (serve === undefined || caller === undefined) way.router(incoming, outgoing);
    else void serveLogged(serve, caller, incoming, outgoing, way.deps);
  };
}

/** The same turn for a request that came through the router, which keeps the record and writes the log. */
export function throughRouter(serve: ServeTurn): Handler<ServerEnv> {
  return async (c) => {
    await serve(c.env.incoming, c.env.outgoing, c.var.record);
    return RESPONSE_ALREADY_SENT;
  };
}

async function serveLogged(
  serve: ServeTurn,
  caller: Caller,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  deps: ShortWay["deps"],
): Promise<void> {
  const record = beginRecord(incoming, outgoing, deps);
  noteClient(record, incoming, caller);
  await serve(incoming, outgoing, record);
  const route = `POST ${pathOf(incoming.url)}`;
  writeLine(deps.log, { route, status: record.status ?? outgoing.statusCode, record, endedMs: deps.clock.now() });
}

function isPlainPost({ method, headers }: IncomingMessage): boolean {
  return method === "POST" && headers.upgrade === undefined && headers.host !== undefined;
}

/** Whose request it is, once it has passed the guards; undefined if one of them refuses it. */
function callerPast(
  { guards, identify }: ShortWay,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Caller | undefined {
  try {
    for (const guard of guards) guard(incoming, outgoing);
    return identify(incoming, outgoing);
  } catch {
    return undefined; // the router's guards will say why
  }
}

function pathOf(url = ""): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
