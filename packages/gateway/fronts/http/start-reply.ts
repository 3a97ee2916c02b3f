import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account, Reply } from "../../core/index.js";
import { finishInSlices } from "../../system/clock.js";
import { collect } from "../../turn/collect.js";
import type { RequestRecord } from "../../turn/events/channels.js";
import type { Front, ParsedRequest, ReplyHead, ReplyStore } from "../front.js";
import { turnUsageHeader } from "../parts/usage.js";
import type { Answer } from "./answer.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";

interface ClientWatch {
  readonly signal: AbortSignal;
  /** Stops watching: from now on the client may leave. */
  release(): void;
  /** Aborts whatever still runs for the client. No-op if everything has ended. */
  abandon(): void;
}

/** Watches the socket itself: with pipelined requests, a waiting response gets no event when the connection closes. */
export function watchClient({ socket }: IncomingMessage): ClientWatch {
  const controller = new AbortController();
  const leave = () => controller.abort();
  if (socket.destroyed) leave();
  else socket.once("close", leave);
  const release = () => void socket.off("close", leave);
  return {
    signal: controller.signal,
    release,
    abandon() {
      release();
      leave();
    },
  };
}

/** Runs a question of a client, cancelled when the client leaves. */
export function askFor<Answer>(
  incoming: IncomingMessage,
  question: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const client = watchClient(incoming);
  return question(client.signal).finally(client.release);
}

/** A parsed request, without its body, which can be freed while the answer is made. */
export interface AcceptedRequest<Request> {
  readonly deps: RouteDeps;
  readonly front: Front<Request>;
  readonly parsed: ParsedRequest<Request>;
  readonly client: Pick<ClientWatch, "signal" | "release">;
  readonly record: RequestRecord;
  readonly account: Account | undefined;
  readonly store: ReplyStore;
}

/** The two sides of a request, and the memory that it holds. */
export interface Exchanged {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly hold: MemoryHold;
}

/** Runs the turn. Resolves at its first event. @throws {GatewayError} The turn failed before that. */
export function runTurn<Request>(accepted: AcceptedRequest<Request>, onOpened?: () => void): Promise<Reply> {
  const { deps, account, record, parsed, client } = accepted;
  const { wantsCacheMiss } = parsed;
  return deps.gateway.run(parsed.turn, { record, account, wantsCacheMiss, signal: client.signal, onOpened });
}

/** The head of a reply: everything known before the first byte is written. */
export function startReply<Request>(reply: Reply, { deps, record }: AcceptedRequest<Request>) {
  const { model, continuity, warnings, events } = reply;
  const backend = deps.backend ?? reply.backend;
  record.model = model;
  record.continuity = continuity;
  record.warnings = warnings;
  record.backend = backend;
  const head: ReplyHead = { ...newReplyHead(model, deps), ...(reply.cacheMiss && { cacheMiss: reply.cacheMiss }) };
  return {
    events,
    head,
    headers: {
      "x-curlew-backend": toHeaderValue(backend),
      "x-curlew-model": toHeaderValue(model),
      "x-curlew-continuity": toHeaderValue(continuity),
      ...warningsHeader(warnings),
    },
  };
}

export function warningsHeader(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { "x-curlew-warnings": toHeaderValue(warnings.join(" "), 1_000) };
}

export function newReplyHead(model: string, { newId, clock }: Pick<RouteDeps, "newId" | "clock">): ReplyHead {
  return { model, id: newId().replaceAll("-", ""), createdMs: clock.now() };
}

/** A text made safe for a header: printable ASCII of limited length. */
export function toHeaderValue(text: string, maxChars = 200): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars - 3)}...` : text;
  return short.replace(/[^\x20-\x7e]/g, "?");
}

/** Stores a reply with its request. Undefined once done; a promise if the request is so long that it is stored in slices. */
export function keepReply<Request>(
  reply: unknown,
  { front, parsed, store }: Pick<AcceptedRequest<Request>, "front" | "parsed" | "store">,
): Promise<undefined> | undefined {
  const work = front.keep?.(reply, parsed.request, store);
  return work === undefined || work.next().done === true ? undefined : finishInSlices(work);
}

export async function wholeReply<Request>(accepted: AcceptedRequest<Request>): Promise<Answer> {
  const { deps, front, parsed, record } = accepted;
  const { events, head, headers } = startReply(await runTurn(accepted), accepted);
  const result = await collect(events);
  const { usage, turnUsage } = result;
  const reply = front.reply(result, parsed.request, head, deps.clock.now());
  const keeping = keepReply(reply, accepted);
  if (keeping !== undefined) await keeping;
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...headers,
      // A streamed reply cannot send these in its headers: they are known only at the end.
      ...warningsHeader(record.warnings ?? []),
      ...(usage?.estimated === true && { "x-curlew-usage": "estimated" }),
      ...(usage !== undefined && turnUsageHeader(usage, turnUsage)),
    },
    body: JSON.stringify(reply),
  };
}
