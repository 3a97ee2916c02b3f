import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../clock.js";
import type { Account, Gateway, Reply } from "../../gateway/index.js";
import type { Front, ParsedRequest, ReplyFacts } from "../front.js";
import type { ClientWatch } from "./client-watch.js";
import { toHeaderValue } from "./header-value.js";
import type { KeepAlive } from "./keep-alive.js";
import type { RequestMemory } from "./request-memory.js";
import type { RequestRecord } from "./request-record.js";

export interface RouteDeps {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly keepAlive: KeepAlive;
  readonly newId: () => string;
  readonly bodyLimitBytes: number;
  readonly memory: RequestMemory;
  /** Names the gateway key that every request here has shown. */
  readonly caller: string;
  /** The account that a request brings, where requests may bring their own. */
  readonly accountOf?: ((headers: IncomingHttpHeaders) => Account | undefined) | undefined;
  /** What to tell a client about the headers of its request. */
  readonly warnOf?: ((headers: IncomingHttpHeaders) => readonly string[]) | undefined;
  /** What to call the backend to people, where that is not its own name. */
  readonly backend?: string | undefined;
}

/** One request, once its body was understood, on its way to an answer. */
export interface Journey<Request> extends RouteDeps {
  readonly front: Front<Request>;
  readonly parsed: ParsedRequest<Request>;
  readonly client: ClientWatch;
  readonly record: RequestRecord;
  readonly account: Account | undefined;
  readonly bodyBytes: number;
}

/** A turn that has begun, and what is known of it before the first byte. */
export interface StartedReply {
  events: Reply["events"];
  facts: ReplyFacts;
  headers: Record<string, string>;
}

export async function startReply<Request>(journey: Journey<Request>): Promise<StartedReply> {
  const { gateway, caller, account, clock, newId, record, parsed, client, bodyBytes } = journey;
  const { requestId } = record;
  const reply = await gateway.run(parsed.turn, { requestId, caller, account, bodyBytes, signal: client.signal });
  const { model, continuity, warnings, events } = reply;
  const backend = journey.backend ?? reply.backend;
  Object.assign(record, { model, continuity, warnings, backend });
  return {
    events,
    facts: { model, id: newId().replaceAll("-", ""), createdMs: clock.now() },
    headers: {
      "x-curlew-backend": toHeaderValue(backend),
      "x-curlew-model": toHeaderValue(model),
      "x-curlew-continuity": toHeaderValue(continuity),
      ...(warnings.length > 0 && { "x-curlew-warnings": toHeaderValue(warnings.join(" "), 1_000) }),
    },
  };
}
