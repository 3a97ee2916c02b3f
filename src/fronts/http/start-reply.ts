import type { RequestRecord } from "../../events/index.js";
import type { Account, Reply } from "../../gateway/index.js";
import type { Front, ParsedRequest, ReplyHead, ReplyStore } from "../front.js";
import type { ClientWatch } from "./client-watch.js";
import type { RouteDeps } from "./route-deps.js";

/** A parsed request. Its body is not kept while the answer is made. */
export interface AcceptedRequest<Request> {
  readonly deps: RouteDeps;
  readonly front: Front<Request>;
  readonly parsed: ParsedRequest<Request>;
  readonly client: ClientWatch;
  readonly record: RequestRecord;
  readonly account: Account | undefined;
  readonly store: ReplyStore;
}

/** A turn that has begun, with what is known about it before the first byte. */
interface StartedReply {
  events: Reply["events"];
  head: ReplyHead;
  headers: Record<string, string>;
}

/**
 * Runs the turn in the gateway. Resolves at its first event.
 *
 * @throws {GatewayError} The turn failed before its first event.
 */
export function runTurn<Request>(accepted: AcceptedRequest<Request>): Promise<Reply> {
  const { deps, account, record, parsed, client } = accepted;
  const { wantsCacheMiss } = parsed;
  return deps.gateway.run(parsed.turn, { record, account, wantsCacheMiss, signal: client.signal });
}

/** Records what the gateway says about a reply, and writes it as headers. */
export function startReply<Request>(reply: Reply, { deps, record }: AcceptedRequest<Request>): StartedReply {
  const { model, continuity, warnings, events } = reply;
  const backend = deps.backend ?? reply.backend;
  record.model = model;
  record.continuity = continuity;
  record.warnings = warnings;
  record.backend = backend;
  return {
    events,
    head: { ...newReplyHead(model, deps), ...(reply.cacheMiss && { cacheMiss: reply.cacheMiss }) },
    headers: {
      "x-curlew-backend": toHeaderValue(backend),
      "x-curlew-model": toHeaderValue(model),
      "x-curlew-continuity": toHeaderValue(continuity),
      ...warningsHeader(warnings),
    },
  };
}

/** The sentences for the client, as far as they are known. */
export function warningsHeader(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { "x-curlew-warnings": toHeaderValue(warnings.join(" "), 1_000) };
}

export function newReplyHead(model: string, { newId, clock }: Pick<RouteDeps, "newId" | "clock">): ReplyHead {
  return { model, id: newId().replaceAll("-", ""), createdMs: clock.now() };
}

/** A text as a header may carry it: printable ASCII of a limited length. */
export function toHeaderValue(text: string, maxChars = 200): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars - 3)}...` : text;
  return short.replace(/[^\x20-\x7e]/g, "?");
}
