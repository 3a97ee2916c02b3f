import type { ClientCall } from "../backends/backend.js";
import { joinText, type SentBlock, type SentResult, type ToolResult, wordsInResult } from "../turn/blocks.js";
import { type TurnEvents, toCall } from "../turn/event.js";
import { publish } from "../turn/events/channels.js";
import type { RepeatCallsPlan, ResultsPlan, RunPlan, TurnPlan } from "./plan.js";
import { replyAlone } from "./reply.js";
import { park, ReplyJournal } from "./reply-state.js";
import { noteCutRun, noteUpstream, type Task } from "./request.js";
import type { RunStarter } from "./run-starter.js";
import { carriersOf, type ParkedRun, type ParkingLot } from "./sessions/parking.js";

/** `seenCalls` are those that earlier replies have sent to the client. */
export interface OpenRun extends Pick<ParkedRun, "exchange" | "guard" | "seenCalls" | "bytes"> {
  readonly plan: RunPlan;
}

/** A reply that the gateway makes itself, without a run or while the run stays parked. */
export interface OwnReply {
  readonly events: TurnEvents;
}

type MissingCall = Pick<ClientCall, "id" | "name" | "input">;

/** Claims the run of a plan, or closes the run that it supersedes. There must be no await between the plan and this. */
export function claimRuns(plan: TurnPlan, lot: ParkingLot): void {
  if (plan.kind === "results") lot.claim(plan.run);
  else if (plan.kind !== "repeat-calls" && plan.superseded !== undefined) lot.giveUp(plan.superseded);
}

/**
 * Hands the results to the run that waits for them. While some are missing, only their calls are sent again.
 * @throws GatewayError when the loop guard stops a repeated call (`tool_loop`), or when an attachment cannot be read
 */
export async function handOver(plan: ResultsPlan, task: Task, starter: RunStarter): Promise<OpenRun | OwnReply> {
  const { results, words } = await contentFor(plan, task, starter);
  const { exchange, guard, seenCalls, bytes } = plan.run;
  starter.listenTo(exchange);
  const { steering } = plan;
  const open = new Map(exchange.openCalls.map((call) => [call.id, call]));
  const accepted = results.flatMap(({ result, sent }) => {
    const call = open.get(result.callId);
    open.delete(result.callId); // the first of two results for one call counts
    return call === undefined ? [] : [{ call, result, sent }];
  });
  try {
    if (steering !== undefined) guard.reset();
    else for (const { call, result } of accepted) guard.record(call, result);
  } catch (thrown) {
    const { record } = task.request.context;
    exchange.close("limit-reached");
    noteUpstream(record, exchange);
    noteCutRun(record, exchange);
    throw thrown;
  }
  const isCarrier = ({ result }: { result: ToolResult }) => result.callId === steering?.carrier;
  for (const { sent } of accepted.filter((each) => !isCarrier(each))) exchange.answer(sent);
  // The words come last: the user wrote them after the message that the calls were made for.
  for (const { sent } of accepted.filter(isCarrier)) exchange.answer(withWords(sent, words, plan.run));
  const missing = exchange.openCalls.filter(({ id }) => seenCalls.has(id));
  if (missing.length > 0) return { events: waitOn(plan, missing, task) };
  return { plan, exchange, guard, seenCalls, bytes };
}

function withWords(sent: SentResult, words: readonly SentBlock[], { carriers }: ParkedRun): SentResult {
  if (carriers.get(sent.callId) === "words") return { ...sent, words: joinText(words) };
  return { ...sent, content: [...sent.content, ...words] };
}

/** The results and words for a waiting run. If an attachment cannot be read, the run is parked again. */
async function contentFor(plan: ResultsPlan, task: Task, { attached }: RunStarter) {
  const { run, steering } = plan;
  const { services, request } = task;
  const { openExchanges } = services;
  const ids = new Set(run.exchange.openCalls.map(({ id }) => id));
  const results = request.turn.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const wanted = results.filter(({ callId }) => ids.has(callId));
  openExchanges.add(run.exchange, request);
  try {
    const said = await attached.messages(steering?.words ?? []);
    const blocks = said.flatMap((message) => (message.role === "user" ? message.content : []));
    return {
      results: await Promise.all(wanted.map(async (result) => ({ result, sent: await attached.result(result) }))),
      words: steering === undefined ? [] : wordsInResult(blocks),
    };
  } catch (thrown) {
    park(services, run);
    throw thrown;
  } finally {
    openExchanges.delete(run.exchange);
  }
}

/** Parks the run again, also under the keys of a transcript with only the calls that are repeated now. */
function waitOn({ run, conversation }: ResultsPlan, missing: readonly MissingCall[], task: Task): TurnEvents {
  const { services, request } = task;
  const { record } = request.context;
  const repeated = callsToRepeat(missing, task);
  const calls = repeated.flatMap(toCall);
  const journal = new ReplyJournal(task.request.turn);
  journal.toClient(calls);
  const { key, bareKey } = journal.keysAfter(conversation);
  noteUpstream(record, run.exchange);
  park(services, {
    ...run,
    carriers: carriersOf(run.exchange),
    keys: new Set([...run.keys, key]),
    bareKeys: new Set([...run.bareKeys, bareKey]),
    pausedMs: services.clock.now(),
    pausedBy: record,
  });
  record.clientCalls = repeated.length;
  publish("curlew:request:paused", record);
  return replyAlone(calls, "tool-calls");
}

export function repeatCalls({ calls }: RepeatCallsPlan, task: Task): OwnReply {
  return { events: replyAlone(callsToRepeat(calls, task).flatMap(toCall), "tool-calls") };
}

function callsToRepeat(missing: readonly MissingCall[], { request }: Task): readonly MissingCall[] {
  return request.turn.parallelToolCalls ? missing : missing.slice(0, 1);
}
