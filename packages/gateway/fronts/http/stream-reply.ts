import type { ServerResponse } from "node:http";
import type { TurnEvents } from "../../turn/event.js";
import { noteEnded, noteFirstByte, type RequestRecord } from "../../turn/events/channels.js";
import { toText, writeFrame } from "../frame.js";
import type { StreamEncoder } from "../front.js";
import { noteError } from "./answer.js";
import { BodyStream, type ReplyStream } from "./body-stream.js";
import type { RouteDeps } from "./route-deps.js";
import { type AcceptedRequest, keepReply, runTurn, startReply } from "./start-reply.js";

export async function streamReply<Request>(
  accepted: AcceptedRequest<Request>,
  outgoing: ServerResponse,
): Promise<void> {
  const { deps, record } = accepted;
  const stream = new BodyStream(outgoing, deps.clock);
  const stopBeating = deps.keepAlive.add(stream);
  try {
    await sendReply(accepted, stream);
  } finally {
    stopBeating();
    record.status = outgoing.statusCode;
    record.bytes = stream.bytes;
  }
}

/** Until the first event, or a long silence, the status is unsent and errors are thrown. After that, an error becomes a frame. */
export async function sendReply<Request>(accepted: AcceptedRequest<Request>, stream: ReplyStream): Promise<void> {
  const { deps, front, parsed, client, record } = accepted;
  let encoder: StreamEncoder<unknown> | undefined;
  try {
    const { events, head, headers } = startReply(await runTurn(accepted), accepted);
    if (!stream.isOpen) stream.open(headers);
    record.status = 200;
    noteFirstByte(record, deps.clock.now());
    encoder = front.encoder(parsed.request, head, stream);
    // From the first event on, keep-alives are events of the dialect, if it has one.
    if (front.beat !== undefined) stream.beatFrame = toText(front.beat, stream);
    await pump(events, encoder, stream, accepted);
  } catch (thrown) {
    if (stream.hasEnded) return; // the reply was complete, so a later failure does no harm
    if (client.signal.aborted || !stream.isOpen) throw thrown;
    const error = noteError(thrown, record);
    if (encoder?.fail !== undefined) encoder.fail(error);
    else writeFrame(stream, front.error(error, record.requestId, deps.clock.now()).frame);
    stream.end();
  }
}

/** Stores a complete reply before its last byte is sent: the client may continue from it at once. Undefined if that is done. */
export function finishReply<Request>(
  encoder: StreamEncoder<unknown>,
  stream: ReplyStream,
  accepted: Pick<AcceptedRequest<Request>, "deps" | "front" | "parsed" | "store"> & { readonly record?: RequestRecord },
): Promise<void> | undefined {
  const { deps, record } = accepted;
  const keeping = keepReply(encoder.end(deps.clock.now()), accepted);
  if (keeping !== undefined) return keeping.then(() => endStream(stream, record, deps));
  endStream(stream, record, deps);
  return undefined;
}

function endStream(stream: ReplyStream, record: RequestRecord | undefined, { clock }: Pick<RouteDeps, "clock">): void {
  if (record !== undefined) {
    record.bytes = stream.bytes ?? 0;
    noteEnded(record, clock.now());
  }
  stream.end();
}

export async function pump<Request>(
  events: TurnEvents,
  encoder: StreamEncoder<unknown>,
  stream: ReplyStream,
  accepted: AcceptedRequest<Request>,
): Promise<void> {
  const { client, record } = accepted;
  const batches = events[Symbol.asyncIterator]();
  // The stream is read to the end even if the client leaves: only then does the gateway see that the exchange is over.
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    if (client.signal.aborted || stream.hasEnded) continue;
    record.batches++;
    const batch = next.value;
    encoder.push(batch);
    if (batch[batch.length - 1]?.type === "finish") {
      // The client has everything now and may leave before upstream has closed its side: that must not cancel anything.
      client.release();
      const ending = finishReply(encoder, stream, accepted);
      if (ending !== undefined) await ending;
    } else if (!stream.flush()) {
      await stream.drained(client.signal);
    }
  }
  if (!client.signal.aborted && !stream.hasEnded) await finishReply(encoder, stream, accepted);
}
