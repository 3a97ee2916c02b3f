import type { ClientCall, Exchange } from "../backends/backend.js";
import type { ParkedRun, ParkingLot } from "../sessions/parking.js";
import { guardFromTranscript, type LoopGuard } from "../tools/loop-guard.js";
import type { SentResult, ToolResult } from "../turn/blocks.js";
import type { Batch, TurnEvents } from "../turn/event.js";
import { toCall } from "../turn/rewrite-batch.js";
import type { ColdPlan, Plan, ResultsPlan, ResumePlan, RunPlan, TurnPlan } from "./plan.js";
import { callsAlone } from "./reply.js";
import { ReplyJournal } from "./reply-journal.js";
import type { Task } from "./request.js";
import type { RunStarter } from "./run-starter.js";

export interface OpenRun {
  readonly plan: RunPlan;
  readonly exchange: Exchange;
  readonly guard: LoopGuard;
  /** Calls of the run that the client knows of from earlier replies. */
  readonly seenCalls: ReadonlySet<string>;
  /** Of the request that began it. */
  readonly bytes: number;
}

/** A reply that needs no run, or none before the client comes back. */
interface OwnReply {
  readonly events: TurnEvents;
}

type MissingCall = Pick<ClientCall, "id" | "name" | "input">;

const noCalls: ReadonlySet<string> = new Set();

/**
 * Takes the run that a plan is about, and closes it where the client has turned away from it. False when the run is not there
 * any more: the plan is void then.
 */
export function claimRuns(plan: Plan, lot: ParkingLot): boolean {
  switch (plan.kind) {
    case "title":
      return true;
    case "results":
      return lot.claim(plan.run);
    case "tell-again":
    case "resume":
    case "cold":
      if (plan.superseded === undefined) return true;
      if (!lot.claim(plan.superseded)) return false;
      plan.superseded.exchange.close("superseded");
      return true;
  }
}

/** Carries out a plan whose runs are claimed, up to where the reply's events come from. */
export async function openPlan(plan: TurnPlan, task: Task, starter: RunStarter): Promise<OpenRun | OwnReply> {
  switch (plan.kind) {
    case "results":
      return handOver(plan, task, starter);
    case "tell-again":
      return { events: callsAlone(toTell(plan.calls, task)) };
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

/** Hands the results to the run that waits for them. While some are missing, the client is told just those again. */
async function handOver(plan: ResultsPlan, task: Task, starter: RunStarter): Promise<OpenRun | OwnReply> {
  const { exchange, guard, seenCalls, bytes } = plan.run;
  const results = await resultsFor(plan.run, task, starter);
  const open = new Map(exchange.openCalls.map((call) => [call.id, call]));
  const answers = results.flatMap(({ result, sent }) => {
    const call = open.get(result.callId);
    open.delete(result.callId); // of two results for one call the first counts
    return call === undefined ? [] : [{ call, result, sent }];
  });
  try {
    for (const { call, result } of answers) guard.record(call, result);
  } catch (thrown) {
    exchange.close("limit-reached");
    throw thrown;
  }
  for (const { sent } of answers) exchange.answer(sent);
  const missing = exchange.openCalls.filter(({ id }) => seenCalls.has(id));
  if (missing.length > 0) return { events: waitOn(plan, missing, task) };
  return { plan, exchange, guard, seenCalls, bytes };
}

/** What the client gives a run that waits. It goes on waiting when something in that cannot be had. */
async function resultsFor(
  run: ParkedRun,
  { services, request }: Task,
  { attached }: RunStarter,
): Promise<readonly { result: ToolResult; sent: SentResult }[]> {
  const { lot, openExchanges } = services;
  const ids = new Set(run.exchange.openCalls.map(({ id }) => id));
  const results = request.turn.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const wanted = results.filter(({ callId }) => ids.has(callId));
  openExchanges.add(run.exchange);
  try {
    return await Promise.all(wanted.map(async (result) => ({ result, sent: await attached.result(result) })));
  } catch (thrown) {
    lot.park(run);
    throw thrown;
  } finally {
    openExchanges.delete(run.exchange);
  }
}

/** Parks the run again, also for a client that comes back with just the calls which it is told of now. */
function waitOn({ run, conversation }: ResultsPlan, missing: readonly MissingCall[], task: Task): TurnEvents {
  const calls = toTell(missing, task);
  const journal = new ReplyJournal();
  journal.toClient(calls);
  task.services.lot.park({
    ...run,
    keys: new Set([...run.keys, journal.keyAfter(conversation.key)]),
    bareKeys: new Set([...run.bareKeys, journal.keyAfter(conversation.bareKey)]),
  });
  return callsAlone(calls);
}

/** The calls that the client is told of again, under the ids that they have. */
function toTell(missing: readonly MissingCall[], { request }: Task): Batch {
  return (request.turn.parallelToolCalls ? missing : missing.slice(0, 1)).flatMap(toCall);
}
