import { noteEnded, noteReceived, type RequestRecord } from "../../events/index.js";
import { noteAnswer, noteLeft, toErrorAnswer } from "./answer.js";
import { BodyStream } from "./body-stream.js";
import { ReplyReader } from "./rejoin/reply-reader.js";
import type { ReturningClient } from "./rejoin/returning-client.js";
import type { RunningReply } from "./rejoin/running-reply.js";
import type { MemoryHold } from "./request-memory.js";
import { type AcceptedRequest, type Exchanged, wholeReply } from "./start-reply.js";
import { sendReply } from "./stream-reply.js";

/** Serves a request whose client may come back: it joins the reply that it repeats, or starts one that others can join. */
export async function serveRunning<Request>(
  accepted: AcceptedRequest<Request>,
  client: ReturningClient,
  { incoming, outgoing, hold }: Exchanged,
): Promise<void> {
  const { deps, record } = accepted;
  const joined = deps.replies.find(client);
  if (joined !== undefined) {
    noteReceived(record);
    outgoing.setHeader("x-curlew-joined", joined.record.requestId);
  }
  const reply = joined ?? startRunning(accepted, client, hold);
  const stream = new BodyStream(outgoing, deps.clock);
  const { socket } = incoming;
  deps.replies.watch(socket, reply);
  await reply.serve(new ReplyReader({ stream, outgoing, socket, signal: accepted.client.signal }), client.retries);
  const { requestId: runId, model, backend, continuity, warnings, batches, outcome, error } = reply.record;
  // The run books what it takes on its own record: a request that joins it takes nothing.
  Object.assign(record, { model, backend, continuity, warnings, batches, outcome, error });
  record.status = reply.record.status ?? outgoing.statusCode;
  record.bytes = stream.bytes || reply.record.bytes;
  record.firstByteMs = stream.firstByteMs ?? reply.record.firstByteMs;
  if (joined === undefined) return;
  record.joined = runId;
  if (accepted.client.signal.aborted && !outgoing.writableFinished) noteLeft(record, outgoing);
  noteEnded(record, deps.clock.now());
}

/** The run goes on by itself from here, however its readers come and go. */
function startRunning<Request>(
  accepted: AcceptedRequest<Request>,
  client: ReturningClient,
  hold: MemoryHold,
): RunningReply {
  const { deps, parsed } = accepted;
  const { messages } = parsed.turn;
  const record = { ...accepted.record };
  noteReceived(record);
  deps.replies.endDeserted(client.owner, messages);
  const reply = deps.replies.start({
    client,
    messages,
    record,
    hold: deps.memory.hold(),
    clock: deps.clock,
  });
  const watch = { signal: reply.signal, release: () => reply.release(), abandon: () => reply.close() };
  const bodyHold = hold.split(hold.bytes);
  void make({ ...accepted, record, client: watch }, reply).finally(() => bodyHold.release());
  return reply;
}

async function make<Request>(accepted: AcceptedRequest<Request>, reply: RunningReply): Promise<void> {
  const { deps, parsed, record } = accepted;
  const stopBeating = parsed.wantsStream ? deps.keepAlive.add(reply) : () => {};
  try {
    if (parsed.wantsStream) await sendReply(accepted, reply);
    else {
      const answer = await wholeReply(accepted);
      noteAnswer(record, answer, deps.clock.now());
      noteEnded(record, deps.clock.now());
      reply.answer(answer);
    }
  } catch (thrown) {
    if (reply.signal.aborted) noteDeserted(record, reply);
    else answerError(thrown, accepted, reply);
  } finally {
    stopBeating();
    if (reply.isOpen) record.bytes = reply.bytes;
    noteEnded(record, deps.clock.now());
    // A repeated request after a failure wants another attempt.
    if (record.outcome !== "ok") reply.close();
  }
}

function answerError<Request>(
  thrown: unknown,
  { deps, front, record }: AcceptedRequest<Request>,
  reply: RunningReply,
): void {
  const answer = toErrorAnswer(thrown, front.error, record, deps.clock.now());
  record.status = answer.status;
  if (reply.isOpen) return;
  noteAnswer(record, answer, deps.clock.now());
  noteEnded(record, deps.clock.now());
  reply.answer(answer);
}

function noteDeserted(record: RequestRecord, { isOpen }: RunningReply): void {
  record.outcome = "client-left";
  record.status = isOpen ? 200 : 499;
}
