import type { ClientCall, Exchange } from "../backends/backend.js";
import { publish } from "../events/index.js";
import { carriersOf, type ParkedRun, type ParkingLot } from "../sessions/parking.js";
import { guardFromTranscript, type LoopGuard } from "../tools/loop-guard.js";
import { joinText, type SentBlock, type SentResult, type ToolResult, wordsInResult } from "../turn/blocks.js";
import { type TurnEvents, toCall } from "../turn/event.js";
import type { ColdPlan, Plan, RepeatCallsPlan, ResumePlan, RunPlan } from "./plan.js";
import { callsAlone } from "./reply.js";
import { park, ReplyJournal } from "./reply-state.js";
import { noteCutRun, noteUpstream, type Task } from "./request.js";
import type { ResultsPlan } from "./results-plan.js";
import type { RunStarter } from "./run-starter.js";

export interface OpenRun {
  readonly plan: RunPlan;
  readonly exchange: Exchange;
  readonly guard: LoopGuard;
  /** Calls of the run that earlier replies have sent to the client. */
  readonly seenCalls: ReadonlySet<string>;
  readonly bytes: number;
}

/** A reply that the gateway makes itself, without a run or while the run goes on waiting. */
interface OwnReply {
  readonly events: TurnEvents;
}

type MissingCall = Pick<ClientCall, "id" | "name" | "input">;

const noCalls: ReadonlySet<string> = new Set();

/** Claims the run of a plan, or closes it when the client has turned away. False when the run is gone and the plan void. */
export function claimRuns(plan: Plan, lot: ParkingLot): boolean {
  switch (plan.kind) {
    case "title":
    case "repeat-calls":
      return true;
    case "results":
      return lot.claim(plan.run);
    case "resume":
    case "cold":
      if (plan.superseded === undefined) return true;
      return lot.giveUp(plan.superseded);
  }
}

/**
 * Carries out a claimed plan, up to the source of the reply's events. Undefined, and nothing has happened, where it must wait first.
 * @throws GatewayError when the loop guard stops a repeated call (`tool_loop`)
 */
export function openNow(plan: RunPlan, task: Task, starter: RunStarter): OpenRun | OwnReply | undefined {
  switch (plan.kind) {
    case "results": {
      const brought = textsFor(plan, task, starter);
      return brought && handOver(plan, brought, task, starter);
    }
    case "resume":
    case "cold": {
      const messages = starter.messagesAtHand(plan);
      if (messages === undefined) return undefined;
      const guard = guardFor(task);
      return runOf(plan, starter.startNow(plan, messages), guard, task);
    }
  }
}

/** The same, after waiting for what it needs. @throws GatewayError also when an attachment cannot be read */
export async function openLater(plan: RunPlan, task: Task, starter: RunStarter): Promise<OpenRun | OwnReply> {
  switch (plan.kind) {
    case "results":
      return handOver(plan, await contentFor(plan, task, starter), task, starter);
    case "resume":
    case "cold": {
      const guard = guardFor(task);
      return runOf(plan, await starter.start(plan, guard), guard, task);
    }
  }
}

function guardFor({ services, request }: Task): LoopGuard {
  return guardFromTranscript(request.turn.messages, services.settings.toolLoopMaxRepeat);
}

function runOf(plan: ResumePlan | ColdPlan, exchange: Exchange, guard: LoopGuard, { request }: Task): OpenRun {
  return { plan, exchange, guard, seenCalls: noCalls, bytes: request.context.record.bodyBytes };
}

/** Hands the results to the run that waits for them. While some are missing, the client is sent just those calls again. */
function handOver(
  plan: ResultsPlan,
  { results, words }: HandedOver,
  task: Task,
  starter: RunStarter,
): OpenRun | OwnReply {
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
  // The words come last, as the user wrote them after everything that the calls were made for.
  for (const { sent } of accepted.filter(isCarrier)) exchange.answer(withWords(sent, words, plan.run));
  const missing = exchange.openCalls.filter(({ id }) => seenCalls.has(id));
  if (missing.length > 0) return { events: waitOn(plan, missing, task) };
  return { plan, exchange, guard, seenCalls, bytes };
}

function withWords(sent: SentResult, words: readonly SentBlock[], { carriers }: ParkedRun): SentResult {
  if (carriers.get(sent.callId) === "words") return { ...sent, words: joinText(words) };
  return { ...sent, content: [...sent.content, ...words] };
}

interface HandedOver {
  readonly results: readonly { result: ToolResult; sent: SentResult }[];
  /** The user's words, as they go inside a result. */
  readonly words: readonly SentBlock[];
}

function wantedResults({ run }: ResultsPlan, { request }: Task): readonly ToolResult[] {
  const ids = new Set(run.exchange.openCalls.map(({ id }) => id));
  const results = request.turn.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  return results.filter(({ callId }) => ids.has(callId));
}

/** What the client brings for a run that waits, if it is all text. */
function textsFor(plan: ResultsPlan, task: Task, { attached }: RunStarter): HandedOver | undefined {
  if (plan.steering !== undefined) return undefined;
  const results: HandedOver["results"][number][] = [];
  for (const result of wantedResults(plan, task)) {
    const sent = attached.textResult(result);
    if (sent === undefined) return undefined;
    results.push({ result, sent });
  }
  return { results, words: [] };
}

/** What the client brings for a run that waits. The run is parked again when an attachment in it cannot be read. */
async function contentFor(plan: ResultsPlan, task: Task, { attached }: RunStarter): Promise<HandedOver> {
  const { run, steering } = plan;
  const { services } = task;
  const { openExchanges } = services;
  const wanted = wantedResults(plan, task);
  openExchanges.add(run.exchange, task.request);
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

/** Parks the run again, also under the keys of a client that will send back just the calls that are repeated now. */
function waitOn({ run, conversation }: ResultsPlan, missing: readonly MissingCall[], task: Task): TurnEvents {
  const { services, request } = task;
  const { record } = request.context;
  const repeated = callsToRepeat(missing, task);
  const calls = repeated.flatMap(toCall);
  const journal = new ReplyJournal();
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
  return callsAlone(calls);
}

export function repeatCalls({ calls }: RepeatCallsPlan, task: Task): TurnEvents {
  return callsAlone(callsToRepeat(calls, task).flatMap(toCall));
}

/** The calls to send again, under the ids that they have. */
function callsToRepeat(missing: readonly MissingCall[], { request }: Task): readonly MissingCall[] {
  return request.turn.parallelToolCalls ? missing : missing.slice(0, 1);
}
