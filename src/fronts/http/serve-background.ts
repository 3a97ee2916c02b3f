import { noteEnded, noteFirstByte, noteReceived, type RequestRecord } from "../../events/index.js";
import type { GatewayError } from "../../turn/error.js";
import type { Front } from "../front.js";
import { noteError } from "./answer.js";
import { BodyStream } from "./body-stream.js";
import { BackgroundReply } from "./rejoin/background-replies.js";
import { ReplyReader } from "./rejoin/reply-reader.js";
import { ownerOf, type ReturningClient } from "./rejoin/returning-client.js";
import { writeLine } from "./request-log.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";
import { type AcceptedRequest, type Exchanged, newReplyHead, runTurn, startReply } from "./start-reply.js";
import { pump } from "./stream-reply.js";

interface BackgroundRequest<Request> extends AcceptedRequest<Request> {
  readonly encode: NonNullable<Front<Request>["backgroundEncoder"]>;
}

/** Serves a request whose reply is made in the background: the client gets its id at once, or its frames as they come. */
export async function serveBackground<Request>(
  accepted: BackgroundRequest<Request>,
  client: ReturningClient | undefined,
  { incoming, outgoing, hold }: Exchanged,
): Promise<void> {
  const { deps, record, parsed } = accepted;
  const joined = client && deps.replies.find(client);
  if (joined !== undefined) {
    noteReceived(record);
    outgoing.setHeader("x-curlew-joined", joined.record.requestId);
  }
  const reply = joined instanceof BackgroundReply ? joined : startBackground(accepted, client, hold);
  Object.assign(record, { background: reply.record.background }, joined && { joined: joined.record.requestId });
  if (client !== undefined) deps.replies.watch(incoming.socket, reply);
  const reading = { reply, incoming, outgoing, signal: accepted.client.signal, retries: client?.retries ?? 0 };
  if (parsed.wantsStream) {
    await sendFrames(reading, record, deps);
  } else {
    await reply.sendFirst(toReader(reading, deps).reader, reading.retries);
    record.status = outgoing.statusCode;
  }
  if (joined !== undefined) noteEnded(record, deps.clock.now());
  // A client that names its requests may repeat this one for as long as there is something to repeat.
  if (client !== undefined && client.key === undefined) {
    deps.clock.after(client.graceMs, () => deps.replies.delete(reply));
  }
}

/** The run goes on by itself from here. */
function startBackground<Request>(
  { encode, ...accepted }: BackgroundRequest<Request>,
  client: ReturningClient | undefined,
  hold: MemoryHold,
): BackgroundReply {
  const { deps, front, parsed, account, store } = accepted;
  const { messages, model } = parsed.turn;
  const record = { ...accepted.record };
  noteReceived(record);
  const owner = ownerOf([account?.account, record.caller]);
  if (client !== undefined) deps.replies.endDeserted(owner, messages);
  const reply = deps.background.start({
    client: client ?? { identity: "", owner, key: undefined, retries: 0, graceMs: 0 },
    messages,
    record,
    hold: deps.memory.hold(),
    encoderOn: (out) => encode(parsed.request, newReplyHead(model, deps), out),
    store: (made) => {
      // Without a pause, because the next state of the reply may come at any time and must not be overwritten by this one.
      const steps = front.keep?.(made, parsed.request, store);
      while (steps?.next().done === false);
    },
    onClosed: (closed) => deps.replies.delete(closed),
  });
  record.background = reply.id;
  if (client !== undefined) deps.replies.add(reply);
  const watch = { signal: reply.signal, release: () => reply.release(), abandon: () => {} };
  const bodyHold = hold.split(hold.bytes);
  void make({ ...accepted, record, client: watch }, reply).finally(() => bodyHold.release());
  return reply;
}

/** The request has long been answered when its run ends, so the run gets a line of its own in the log. */
async function make<Request>(accepted: AcceptedRequest<Request>, reply: BackgroundReply): Promise<void> {
  const { deps, front, record } = accepted;
  try {
    const begin = () => reply.begin(record.model ?? "");
    const { events } = startReply(await runTurn(accepted, begin), accepted);
    noteFirstByte(record, deps.clock.now());
    await pump(events, begin(), reply, accepted);
  } catch (thrown) {
    if (!reply.hasEnded) fail(reply, noteError(thrown, record));
  }
  const endedMs = deps.clock.now();
  noteEnded(record, endedMs);
  writeLine(deps.log, { route: `background ${front.path}`, status: 200, record, endedMs });
}

/** The store may be what has failed, or may be closed already. Then the kept reply is found without its run, which says enough. */
function fail(reply: BackgroundReply, error: GatewayError): void {
  try {
    reply.finish((encoder) => encoder.fail(error));
  } catch {
    // the failure to be reported is the first one
  }
}

interface Reading extends Omit<Exchanged, "hold"> {
  readonly reply: BackgroundReply;
  readonly signal: AbortSignal;
  readonly skipped?: number | undefined;
  readonly retries?: number;
}

export async function sendFrames(reading: Reading, record: RequestRecord, deps: RouteDeps): Promise<void> {
  const { reply, skipped = 0, retries = 0 } = reading;
  const { stream, reader } = toReader(reading, deps);
  const stopBeating = deps.keepAlive.add(stream);
  reader.at = skipped;
  await reply.serve(reader, retries);
  stopBeating();
  if (reading.signal.aborted) record.outcome = "client-left";
  const { bytes, firstByteMs } = stream;
  Object.assign(record, { status: reading.outgoing.statusCode, stream: true, bytes, firstByteMs });
}

function toReader({ incoming, outgoing, signal }: Reading, { clock }: RouteDeps) {
  const stream = new BodyStream(outgoing, clock);
  return { stream, reader: new ReplyReader({ stream, outgoing, socket: incoming.socket, signal }) };
}
