import type { ServerResponse } from "node:http";
import type { TurnEvents } from "../../turn/event.js";
import type { StreamEncoder } from "../front.js";
import { noteError } from "./answer.js";
import { type Journey, startReply } from "./journey.js";
import { SseStream } from "./sse-stream.js";

/** Where a streamed reply goes. */
export interface ReplyStream {
  /** Whether the status is decided. */
  readonly isOpen: boolean;
  readonly hasEnded: boolean;
  /** What is said in a long silence. */
  beatFrame?: string;
  open(headers: Readonly<Record<string, string>>): void;
  /** False when the client does not keep up: then wait for `drained` before the next write. */
  write(frames: string): boolean;
  end(frames: string): void;
  drained(signal: AbortSignal): Promise<void>;
}

/** Streams a reply as server-sent events. */
export async function streamReply<Request>(journey: Journey<Request>, outgoing: ServerResponse): Promise<void> {
  const { clock, keepAlive, record } = journey;
  const stream = new SseStream(outgoing, clock);
  const stopBeating = keepAlive.add(stream);
  try {
    await sendReply(journey, stream);
  } finally {
    stopBeating();
    record.status = outgoing.statusCode;
    record.bytes = stream.bytes;
    record.firstByteMs = stream.firstByteMs;
  }
}

/**
 * Until the first event the status is still open and errors are thrown; only a long silence decides it early, because proxies
 * cut connections on which nothing moves. After that an error is a frame.
 */
export async function sendReply<Request>(journey: Journey<Request>, stream: ReplyStream): Promise<void> {
  const { front, parsed, client, record } = journey;
  let encoder: StreamEncoder | undefined;
  try {
    const { events, facts, headers } = await startReply(journey);
    if (!stream.isOpen) stream.open(headers);
    encoder = front.encoder(parsed.request, facts);
    if (front.beat !== undefined) stream.beatFrame = front.beat; // the first event is here: no silence comes before it
    await pump(events, encoder, stream, journey);
  } catch (thrown) {
    if (stream.hasEnded) return; // the reply was whole; what failed behind it is nobody's loss
    if (client.signal.aborted || !stream.isOpen) throw thrown;
    const error = noteError(thrown, record);
    stream.end(encoder?.fail?.(error) ?? front.error(error, record.requestId).frame);
  }
}

async function pump(
  events: TurnEvents,
  encoder: StreamEncoder,
  stream: ReplyStream,
  { client, record }: Pick<Journey<unknown>, "client" | "record">,
): Promise<void> {
  const batches = events[Symbol.asyncIterator]();
  // Pulled to the end whatever happens to the client: only then does the gateway know that the exchange is over.
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    if (client.signal.aborted || stream.hasEnded) continue;
    record.batches++;
    const batch = next.value;
    const frames = encoder.push(batch);
    if (batch[batch.length - 1]?.type === "finish") {
      // The client has everything now and may leave before upstream has closed its side: that cancels nothing.
      client.release();
      stream.end(frames + encoder.end());
    } else if (!stream.write(frames)) {
      await stream.drained(client.signal);
    }
  }
  if (!client.signal.aborted && !stream.hasEnded) stream.end(encoder.end());
}
