import type { Backend, BackendName } from "../backends/backend.js";
import { yieldToOthers } from "../clock.js";
import { publish } from "../events/index.js";
import type { ResolvedModel } from "../models/index.js";
import { KnownConversation } from "../sessions/known.js";
import type { ParkedRun } from "../sessions/parking.js";
import { anySignal } from "../turn/any-signal.js";
import { joinText } from "../turn/blocks.js";
import { GatewayError } from "../turn/error.js";
import { estimatedInput, estimatedUsage } from "../turn/estimate.js";
import type { TurnEvents } from "../turn/event.js";
import { isLong } from "../turn/slices.js";
import type { Turn } from "../turn/turn.js";
import { type CacheMiss, cacheMissOf, tokensUploadedAgain } from "./cache-miss.js";
import type { Continuity } from "./continuity.js";
import { claimRuns, openLater, openNow, repeatCalls } from "./open.js";
import {
  type ColdPlan,
  type Plan,
  planTurn,
  planWithout,
  type ResumePlan,
  type TitlePlan,
  type TurnPlan,
} from "./plan.js";
import { Relay } from "./relay.js";
import { type Reply, wordsAlone } from "./reply.js";
import { ReplySteps } from "./reply-steps.js";
import { admitLate, mayTitleCheaply, noteRound, noteTurnUsage, type Request, type Task } from "./request.js";
import { RunStarter } from "./run-starter.js";
import type { Services } from "./services.js";
import { Settlement } from "./settle.js";

/** A hanging call must not keep a client from its title: an ordinary turn can write one, too. */
const NAMING_MS = 10_000;

interface Progress {
  /** Whether the upstream has given any event: from then on it may have been paid for. */
  hasBegun: boolean;
}

/**
 * Resolves the model on one backend, plans the turn and carries the plan out, up to the first event that the client gets to see.
 * @throws GatewayError with the code of whatever failed before that event; `canceled` when the client has left
 */
export async function attempt(
  services: Services,
  request: Request,
  name: BackendName,
  progress: Progress,
): Promise<Reply> {
  const { turn, waiting, context, backends, isTitle } = request;
  const { backend, catalogue } = backends.open(name);
  const isKnown = waiting?.askedModel === turn.model && waiting.askedEffort === turn.effort;
  const known = isKnown ? waiting.model : catalogue.current(turn);
  const model = known ?? (await catalogue.resolve(turn, context.signal));
  if (context.signal.aborted) throw leftEarly();
  admitModel(model, request, services);
  context.record.model = model.shownAs; // what a turn took is booked on it even if there is no reply
  if (isLong(turn.messages)) await yieldToOthers();
  const health = backends.trackerOf(name);
  const task: Task = { services, request, backend, health, model, catalogue, known: undefined };
  return await replyTo(task, mayTitleCheaply(isTitle, services, backend), progress);
}

/** @throws GatewayError when one of the owner's limits is reached for this model */
function admitModel(model: ResolvedModel, request: Request, { guard }: Services): void {
  const { record } = request.context;
  const place = request.waiting === undefined ? "ongoing" : "results";
  request.lateWarnings = guard?.admitModel(record, place, model) ?? [];
}

function replyTo(task: Task, canTitleCheaply: boolean, progress: Progress): Promise<Reply> {
  const plan = claimedPlan(task, canTitleCheaply);
  return plan.kind === "title" ? replyWithTitle(plan, task, progress) : carryOut(plan, task, progress);
}

async function replyWithTitle({ continuity }: TitlePlan, task: Task, progress: Progress): Promise<Reply> {
  const { backend, model, request } = task;
  notePlanned({ continuity, sentAgainTokens: 0 }, task);
  const title = await cheapTitle(task);
  if (title) {
    noteTitle(title, request);
    const warnings = [...request.turn.warnings, ...request.lateWarnings];
    return { backend: backend.name, model: model.shownAs, continuity, warnings, events: wordsAlone(title) };
  }
  if (request.context.signal.aborted) throw leftEarly();
  return replyTo(task, false, progress);
}

/** The cheap call is a call to Cursor like any other, and nobody says what it takes. */
function noteTitle(title: string, { turn, context }: Request): void {
  const { messages } = turn;
  context.record.runs++;
  noteTurnUsage(context.record, estimatedUsage(estimatedInput({ system: "", tools: noTools, messages }), title.length));
}

const noTools: Turn["tools"] = [];

async function carryOut(plan: TurnPlan, task: Task, progress: Progress): Promise<Reply> {
  const { services, request, backend, health, model } = task;
  const starter = new RunStarter(task);
  request.context.record.pauses = starter.pauses;
  let begun: Begun;
  try {
    begun = await begin(plan, task, starter, progress);
  } catch (thrown) {
    const error = GatewayError.from(thrown);
    const rest = planWithout(plan, request.turn, error.code);
    if (rest === undefined) throw error;
    begun = await begin(rest, task, starter, progress);
  }
  const { events, served } = begun;
  health?.succeeded();
  const { turn, lateWarnings } = request;
  const warnings = starter.raised; // the run may go on to raise some
  warnings.unshift(
    ...turn.warnings,
    ...lateWarnings,
    ...model.warnings,
    ...unhonoured(turn, backend),
    ...starter.warnings,
  );
  const { continuity } = served;
  const { record, wantsCacheMiss } = request.context;
  const missed = served.kind === "resume" || served.kind === "cold" ? missOf(served, task) : undefined;
  record.cacheMiss = missed?.changed;
  const cacheMiss = wantsCacheMiss ? missed : undefined;
  const reply = { backend: backend.name, model: model.shownAs, continuity, warnings, cacheMiss, events };
  services.countReply(reply);
  return reply;
}

/** Other plans have no model read the conversation, or one that has it in mind goes on. */
function missOf(served: ResumePlan | ColdPlan, task: Task): CacheMiss | undefined {
  const { turn } = task.request;
  // Nothing can be known of a first message, and most short requests have no other. So nothing is looked up for it.
  if (served.continuity === "cold:new" && turn.messages.length === 1) return nothingKnown;
  return cacheMissOf(served, turn, task.model.id, task.known ?? knownFor(task, undefined));
}

const nothingKnown: CacheMiss = { changed: "unknown" };

function notePlanned(
  { continuity, sentAgainTokens }: { continuity: Continuity; sentAgainTokens: number },
  { services, request }: Task,
): void {
  const { record } = request.context;
  record.continuity = continuity;
  record.sentAgainTokens = sentAgainTokens;
  record.plannedMs = services.clock.now();
  publish("curlew:request:planned", record);
}

function noteOpened({ kind }: TurnPlan, { services, request }: Task): void {
  const { record, onOpened } = request.context;
  record.openedMs = services.clock.now();
  onOpened?.();
  publish(kind === "results" ? "curlew:request:resumed" : "curlew:request:opened", record);
}

interface Begun {
  readonly events: TurnEvents;
  readonly served: TurnPlan;
}

async function begin(plan: TurnPlan, task: Task, starter: RunStarter, progress: Progress): Promise<Begun> {
  notePlanned({ continuity: plan.continuity, sentAgainTokens: tokensUploadedAgain(plan, task.request.turn) }, task);
  if (plan.kind === "repeat-calls") return { events: repeatCalls(plan, task), served: plan };
  const opened = openNow(plan, task, starter) ?? (await openLater(plan, task, starter));
  if ("events" in opened) return { events: opened.events, served: plan };
  noteOpened(plan, task);
  const steps = new ReplySteps(task.services.settings, task.request, plan.kind === "results");
  const settlement = new Settlement(task, starter, opened, steps);
  const relay = new Relay(settlement.begin(), steps, settlement);
  try {
    await relay.prime();
  } finally {
    if (relay.hasBegun) progress.hasBegun = true;
  }
  return { events: relay, served: settlement.plan };
}

/** Plans a task and claims its run. @throws GatewayError when a limit is reached, before anything is claimed */
function claimedPlan(task: Task, canTitleCheaply: boolean): Plan {
  const plan = planFor(task, canTitleCheaply, task.request.waiting);
  refuse(plan, task);
  if (claim(plan, task)) return plan;
  // Another request has claimed the run since we found it. Finding and claiming it in one go cannot be raced a second time.
  const again = planFor(task, canTitleCheaply, undefined);
  refuse(again, task);
  claim(again, task);
  return again;
}

function claim(plan: Plan, { services, request }: Task): boolean {
  if (!claimRuns(plan, services.lot)) return false;
  if (plan.kind === "results") noteRound(request.context.record, plan.run);
  return true;
}

function refuse(plan: Plan, { services, request, model }: Task): void {
  const isToolRound = plan.kind === "repeat-calls" || (plan.kind === "results" && !plan.isQuestion);
  if (!isToolRound) admitLate(request, plan, model, services);
}

function planFor(task: Task, canTitleCheaply: boolean, waiting: ParkedRun | undefined): Plan {
  task.known = knownFor(task, waiting);
  return planTurn(task.request.turn, task.known, canTitleCheaply);
}

function knownFor({ services, request, backend }: Task, waiting: ParkedRun | undefined): KnownConversation {
  const { turn, owner } = request;
  const whose = { owner, backend: backend.name, can: backend.can };
  return new KnownConversation(turn, whose, services.store, services.lot, waiting);
}

async function cheapTitle({ services, request, backend }: Task): Promise<string | undefined> {
  const { turn, context } = request;
  const words = turn.messages.map((message) => (message.role === "user" ? joinText(message.content) : ""));
  try {
    const signal = anySignal([context.signal, AbortSignal.timeout(NAMING_MS)]);
    return await backend.nameConversation?.(words.join("\n\n"), signal);
  } catch (problem) {
    if (!context.signal.aborted) services.onProblem(problem);
    return undefined;
  }
}

export function leftEarly(): GatewayError {
  return new GatewayError("canceled", "The client left before the reply began.");
}

function unhonoured({ tools, workspace }: Turn, { can, name }: Backend): string[] {
  const warnings: string[] = [];
  if (tools.length > 0 && !can.tools) {
    warnings.push(`The ${tools.length} tools of this request are not offered to the model.`);
  }
  if (workspace !== undefined && !can.workspaces) {
    warnings.push(`The ${name} backend cannot work in your folders, so x-curlew-workspace is ignored.`);
  }
  return warnings;
}
