import { randomUUID } from "node:crypto";
import type { Reply } from "@curlew/gateway/core/index.js";
import { anySignal } from "@curlew/gateway/turn/any-signal.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Batch, TurnEvents } from "@curlew/gateway/turn/event.js";
import { noteEnded, noteFirstByte, publish, RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import type { Turn } from "@curlew/gateway/turn/turn.js";
import type { ComposedGateway } from "./compose.js";

/** Runs a turn for one of our own commands: booked like a client's, and isolated from the conversations of other callers. */
export async function runRecorded(
  { gateway, gatewayId }: Pick<ComposedGateway, "gateway" | "gatewayId">,
  turn: Turn,
  { client, caller = "", signal }: { readonly client: string; readonly caller?: string; readonly signal: AbortSignal },
): Promise<Reply> {
  const record = new RequestRecord(gatewayId, randomUUID(), Date.now());
  Object.assign(record, { client, caller, dialect: "command", askedModel: turn.model, stream: true });
  publish("curlew:request:received", record);
  const leaving = new AbortController();
  try {
    const reply = await gateway.run(turn, { record, signal: anySignal([signal, leaving.signal]) });
    record.model = reply.model;
    record.backend = reply.backend;
    record.continuity = reply.continuity;
    record.warnings = reply.warnings;
    noteFirstByte(record, Date.now());
    return { ...reply, events: untilEnd(reply.events, record, signal, leaving) };
  } catch (thrown) {
    noteFailed(thrown, record, signal);
    throw thrown;
  }
}

async function* untilEnd(
  events: TurnEvents,
  record: RequestRecord,
  signal: AbortSignal,
  leaving: AbortController,
): AsyncGenerator<Batch, undefined> {
  let isOver = false;
  try {
    for await (const batch of events) {
      record.batches++;
      yield batch;
    }
    isOver = true;
  } catch (thrown) {
    isOver = true;
    noteFailed(thrown, record, signal);
    throw thrown;
  } finally {
    if (!isOver) {
      await leave(events, leaving);
      record.outcome = "client-left";
    }
    noteEnded(record, Date.now());
  }
}

/** Aborts a reply and drains it, because its usage is known only at its end. */
async function leave(events: TurnEvents, leaving: AbortController): Promise<void> {
  leaving.abort();
  try {
    for await (const _batch of events); // drain
  } catch {
    // Expected: we aborted it.
  }
}

function noteFailed(thrown: unknown, record: RequestRecord, { aborted }: AbortSignal): void {
  record.error = GatewayError.from(thrown);
  record.outcome = aborted ? "client-left" : record.error.code;
  noteEnded(record, Date.now());
}
