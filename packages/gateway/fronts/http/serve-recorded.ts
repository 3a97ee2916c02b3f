import type { GatewayError } from "../../turn/error.js";
import { noteEnded, noteFirstByte, publish, type RequestRecord } from "../../turn/events/channels.js";
import { type Answer, noteAnswer, noteError, noteLeft, toErrorAnswer } from "./answer.js";
import { BackgroundReply } from "./rejoin/background-replies.js";
import { RecordedReply, type RecordedReplyDeps } from "./rejoin/recorded-reply.js";
import { ReplyReader } from "./rejoin/reply-reader.js";
import { ownerOf, type ReturningClient } from "./rejoin/returning-client.js";
import { writeLine } from "./request-log.js";
import type { MemoryHold } from "./request-memory.js";
import type { RouteDeps } from "./route-deps.js";
import { type AcceptedRequest, type Exchanged, newReplyHead, runTurn, startReply, wholeReply } from "./start-reply.js";
import { pump, sendReply } from "./stream-reply.js";

/**
 * Serves a request whose reply may outlive it: in the background, or for a client that may reconnect. A repeated request joins
 * the reply of the first.
 */
export async function serveRecorded<Request>(
  accepted: AcceptedRequest<Request>,
  client: ReturningClient | undefined,
  { incoming, outgoing, hold }: Exchanged,
): Promise<void> {
  const { deps, record } = accepted;
  const joined = client && deps.replies.find(client);
  if (joined !== undefined) {
    publish("curlew:request:received", record);
    record.joined = joined.record.requestId;
    outgoing.setHeader("x-curlew-joined", record.joined);
  }
  const reply = joined ?? start(accepted, client, hold);
  if (client !== undefined) deps.replies.watch(incoming.socket, reply);
  const reading = { incoming, outgoing, signal: accepted.client.signal, retries: client?.retries };
  if (reply instanceof BackgroundReply) await readBackground(accepted, client, { ...reading, reply });
  else await readRunning(accepted, { ...reading, reply });
  if (joined !== undefined) noteEnded(record, deps.clock.now());
}

async function readRunning<Request>({ record, deps }: AcceptedRequest<Request>, reading: Reading): Promise<void> {
  const { reply, outgoing, signal } = reading;
  const reader = new ReplyReader(reading, deps.clock);
  await reply.serve(reader, reading.retries);
  const { model, backend, continuity, warnings, batches, outcome, error } = reply.record;
  // Usage stays on the run's own record: a request that joins it costs nothing.
  Object.assign(record, { model, backend, continuity, warnings, batches, outcome, error });
  record.status = reply.record.status ?? outgoing.statusCode;
  record.bytes = reader.bytes || reply.record.bytes;
  record.firstByteMs = reader.firstByteMs ?? reply.record.firstByteMs;
  if (record.joined !== undefined && signal.aborted && !outgoing.writableFinished) noteLeft(record, outgoing);
}

async function readBackground<Request>(
  { deps, record, parsed }: AcceptedRequest<Request>,
  client: ReturningClient | undefined,
  reading: Reading<BackgroundReply>,
): Promise<void> {
  const { reply, outgoing } = reading;
  record.background = reply.id;
  if (parsed.wantsStream) {
    await sendFrames(reading, record, deps);
  } else {
    await reply.sendFirst(new ReplyReader(reading, deps.clock), reading.retries);
    record.status = outgoing.statusCode;
  }
  // With an idempotency key, the request can be repeated for as long as the reply exists.
  if (client !== undefined && client.key === undefined) {
    deps.clock.after(client.graceMs, () => deps.replies.delete(reply));
  }
}

/** Starts the run, which from here on does not depend on this request. */
function start<Request>(
  accepted: AcceptedRequest<Request>,
  client: ReturningClient | undefined,
  hold: MemoryHold,
): RecordedReply {
  const { deps, parsed, account } = accepted;
  const { messages } = parsed.turn;
  const record = { ...accepted.record };
  const owner = ownerOf([account?.account, record.caller]);
  if (client !== undefined) deps.replies.endDeserted(owner, messages);
  const reply = newReply(accepted, {
    client: client ?? { identity: "", owner, key: undefined, retries: 0, graceMs: 0 },
    messages,
    record,
    hold: deps.memory.hold(),
    clock: deps.clock,
    onClosed: (closed) => deps.replies.delete(closed),
  });
  publish("curlew:request:received", record); // not for one that `newReply` refuses
  if (client !== undefined) deps.replies.add(reply);
  const bodyHold = hold.split(hold.bytes);
  const making = { ...accepted, record, client: reply };
  const made = reply instanceof BackgroundReply ? makeBackground(making, reply) : makeRunning(making, reply);
  void made.finally(() => bodyHold.release());
  return reply;
}

function newReply<Request>(accepted: AcceptedRequest<Request>, recorded: RecordedReplyDeps): RecordedReply {
  const { deps, front, parsed, store } = accepted;
  const { backgroundEncoder: encode } = front;
  if (encode === undefined || !parsed.isBackground) return new RecordedReply(recorded);
  const reply = deps.background.start({
    ...recorded,
    encoderOn: (out) => encode(parsed.request, newReplyHead(parsed.turn.model, deps), out),
    store: (made) => {
      // Without a pause: the next state of the reply may come at any time and must not be overwritten by this one.
      const steps = front.keep?.(made, parsed.request, store);
      while (steps?.next().done === false);
    },
  });
  recorded.record.background = reply.id;
  return reply;
}

async function makeRunning<Request>(accepted: AcceptedRequest<Request>, reply: RecordedReply): Promise<void> {
  const { deps, front, parsed, record } = accepted;
  const stopBeating = parsed.wantsStream ? deps.keepAlive.add(reply) : () => {};
  try {
    if (parsed.wantsStream) await sendReply(accepted, reply);
    else answer(await wholeReply(accepted), accepted, reply);
  } catch (thrown) {
    if (reply.signal.aborted) noteLeft(record, { headersSent: reply.isOpen, statusCode: 200 });
    else {
      const written = toErrorAnswer(thrown, front.error, record, deps.clock.now());
      record.status = written.status;
      if (!reply.isOpen) answer(written, accepted, reply);
    }
  } finally {
    stopBeating();
    if (reply.isOpen) record.bytes = reply.bytes;
    noteEnded(record, deps.clock.now());
    // After a failure, a repeated request starts another attempt.
    if (record.outcome !== "ok") reply.close();
  }
}

function answer<Request>(whole: Answer, { deps, record }: AcceptedRequest<Request>, reply: RecordedReply): void {
  noteAnswer(record, whole, deps.clock.now());
  noteEnded(record, deps.clock.now());
  reply.answer(whole);
}

/** The request is answered long before its run ends, so the run gets its own line in the log. */
async function makeBackground<Request>(accepted: AcceptedRequest<Request>, reply: BackgroundReply): Promise<void> {
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

/** The store itself may have failed or be closed. The stored reply is then found without a run and counts as broken off. */
function fail(reply: BackgroundReply, error: GatewayError): void {
  try {
    reply.finish((encoder) => encoder.fail(error));
  } catch {
    // the first failure is the one to report
  }
}

interface Reading<Reply = RecordedReply> extends Omit<Exchanged, "hold"> {
  readonly reply: Reply;
  readonly signal: AbortSignal;
  readonly skipped?: number | undefined;
  readonly retries?: number | undefined;
}

export async function sendFrames(reading: Reading, record: RequestRecord, deps: RouteDeps): Promise<void> {
  const reader = new ReplyReader(reading, deps.clock);
  const stopBeating = deps.keepAlive.add(reader);
  reader.at = reading.skipped ?? 0;
  await reading.reply.serve(reader, reading.retries);
  stopBeating();
  if (reading.signal.aborted) record.outcome = "client-left";
  const { bytes, firstByteMs } = reader;
  Object.assign(record, { status: reading.outgoing.statusCode, stream: true, bytes, firstByteMs });
}
