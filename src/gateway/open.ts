import type { ClientCall, Exchange } from "../backends/backend.js";
import { carriersOf, type ParkedRun, type ParkingLot } from "../sessions/parking.js";
import { guardFromTranscript, type LoopGuard } from "../tools/loop-guard.js";
import { joinText, type SentBlock, type SentResult, type ToolResult } from "../turn/blocks.js";
import type { Batch, TurnEvents } from "../turn/event.js";
import { toCall } from "../turn/rewrite-batch.js";
import { wordsInResult } from "../turn/words-in-result.js";
import { park } from "./park.js";
import type { ColdPlan, Plan, ResumePlan, RunPlan, TurnPlan } from "./plan.js";
import { callsAlone } from "./reply.js";
import { ReplyJournal } from "./reply-journal.js";
import type { Task } from "./request.js";
import type { ResultsPlan } from "./results-plan.js";
import type { RunStarter } from "./run-starter.js";

export interface OpenRun {
  readonly plan: RunPlan;
  readonly exchange: Exchange;
  readonly guard: LoopGuard;
  /** Calls of the run that earlier replies have sent to the client. */
  readonly seenCalls: ReadonlySet<string>;
  /** The size of the request that started the run. */
  readonly bytes: number;
}

/** A reply that the gateway makes itself, without a run or while the run goes on waiting. */
interface OwnReply {
  readonly events: TurnEvents;
}

type MissingCall = Pick<ClientCall, "id" | "name" | "input">;

const noCalls: ReadonlySet<string> = new Set();

/**
 * Claims the run of a plan, and closes it when the client has turned away from it. Returns false when the run is gone: the
 * plan is void then.
 */
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
      if (!lot.claim(plan.superseded)) return false;
      plan.superseded.exchange.close("superseded");
      return true;
  }
}

/**
 * Carries out a plan whose runs are claimed, up to the source of the reply's events.
 * @throws GatewayError when an attachment cannot be read (its code), or when the loop guard stops a repeated call (`tool_loop`)
 */
export async function openPlan(plan: TurnPlan, task: Task, starter: RunStarter): Promise<OpenRun | OwnReply> {
  switch (plan.kind) {
    case "results":
      return handOver(plan, task, starter);
    case "repeat-calls":
      return { events: callsAlone(callsToRepeat(plan.calls, task)) };
    case "resume":
    case "cold":
      return startRun(plan, task, starter);
  }
}

async function startRun(plan: ResumePlan | ColdPlan, task: Task, starter: RunStarter): Promise<OpenRun> {
  const { services, request } = task;
  const guard = guardFromTranscript(request.turn.messages, services.settings.toolLoopMaxRepeat);
  const exchange = await starter.start(plan, guard);
  return { plan, exchange, guard, seenCalls: noCalls, bytes: request.context.bodyBytes ?? 0 };
}

/** Hands the results to the run that waits for them. While some are missing, the client is sent just those calls again. */
async function handOver(plan: ResultsPlan, task: Task, starter: RunStarter): Promise<OpenRun | OwnReply> {
  const { exchange, guard, seenCalls, bytes } = plan.run;
  const { steering } = plan;
  starter.listenTo(exchange);
  const { results, words } = await contentFor(plan, task, starter);
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
    exchange.close("limit-reached");
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

/** What the client brings for a run that waits. The run is parked again when an attachment in it cannot be read. */
async function contentFor(
  { run, steering }: ResultsPlan,
  { services, request }: Task,
  { attached }: RunStarter,
): Promise<HandedOver> {
  const { openExchanges } = services;
  const ids = new Set(run.exchange.openCalls.map(({ id }) => id));
  const results = request.turn.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const wanted = results.filter(({ callId }) => ids.has(callId));
  openExchanges.add(run.exchange);
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
  const calls = callsToRepeat(missing, task);
  const journal = new ReplyJournal();
  journal.toClient(calls);
  park(task.services, {
    ...run,
    carriers: carriersOf(run.exchange),
    keys: new Set([...run.keys, journal.keyAfter(conversation.key)]),
    bareKeys: new Set([...run.bareKeys, journal.keyAfter(conversation.bareKey)]),
  });
  return callsAlone(calls);
}

/** The calls to send again, under the ids that they have. */
function callsToRepeat(missing: readonly MissingCall[], { request }: Task): Batch {
  return (request.turn.parallelToolCalls ? missing : missing.slice(0, 1)).flatMap(toCall);
}
