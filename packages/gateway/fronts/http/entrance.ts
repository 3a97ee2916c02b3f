import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Front } from "../front.js";
import { type Answer, dropBody, toErrorAnswer, writeAnswer } from "./answer.js";
import { forgiveBaseUrl } from "./meant-address.js";
import { beginRecord, noteProgram, writeLine } from "./request-log.js";
import type { RouteDeps } from "./route-deps.js";
import { type Guard, type RoutedRequest, type Router, routeFor } from "./router.js";

interface EntranceDeps extends Pick<RouteDeps, "gatewayId" | "clock" | "newId" | "log"> {
  readonly router: Router;
  /** Run for every request, in this order, before the guards of its route. */
  readonly guards: readonly Guard[];
  /** Writes the errors that do not come from a front. The path is empty if the address is invalid. */
  readonly errorWriterOf: (path: string, headers: IncomingHttpHeaders) => Front<unknown>["error"];
}

/**
 * The entry point of every request: it gets a record, passes each guard once, and is served by its route. Nearly all requests are
 * turns, posted to addresses without parameters, which take a single map lookup.
 */
export function createEntrance(deps: EntranceDeps): RequestListener {
  return (incoming, outgoing) => void serve(incoming, outgoing, deps);
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, deps: EntranceDeps): Promise<void> {
  const { router, guards, errorWriterOf, clock, log } = deps;
  const record = beginRecord(incoming, outgoing, deps);
  const found = router.findExact(incoming.url ?? "") ?? router.find(forgiveBaseUrl(incoming, outgoing, record));
  const route = routeFor(found.place, incoming);
  try {
    const request = { incoming, outgoing, record, found };
    const answer = pass(guards, request) ?? pass(route.guards, request) ?? (await route.serve(request));
    if (answer !== undefined) writeAnswer(outgoing, answer);
  } catch (thrown) {
    const answer = toErrorAnswer(thrown, errorWriterOf(found.path, incoming.headers), record, clock.now());
    if (outgoing.headersSent) outgoing.destroy();
    else writeAnswer(outgoing, answer);
  }
  const { method } = incoming;
  if (!incoming.complete && method !== "GET" && method !== "HEAD") dropBody(incoming, clock);
  const status = record.status ?? outgoing.statusCode;
  if (route.isRoutine === true && status < 400) return;
  // A request that a guard has refused has no client name yet.
  if (record.client === "") noteProgram(record, incoming.headers);
  writeLine(log, { route: `${method} ${found.path.slice(0, 200)}`, status, record, endedMs: clock.now() });
}

function pass(guards: readonly Guard[], { incoming, outgoing, record }: RoutedRequest): Answer | undefined {
  for (const guard of guards) {
    const answer = guard(incoming, outgoing, record);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
