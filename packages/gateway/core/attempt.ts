import type { Backend } from "../backends/backend.js";
import type { ResolvedModel } from "../models/index.js";
import { anySignal } from "../turn/any-signal.js";
import { GatewayError } from "../turn/error.js";
import { estimatedInput, estimatedUsage } from "../turn/estimate.js";
import { type TurnEvents, toText } from "../turn/event.js";
import { publish } from "../turn/events/channels.js";
import type { Turn } from "../turn/turn.js";
import { admitModel } from "./admission.js";
import { cacheMissOf, tokensUploadedAgain } from "./cache-miss.js";
import type { Continuity } from "./continuity.js";
import { type FailedBackend, type NextBackend, next } from "./next.js";
import { claimRuns, handOver, type OpenRun, type OwnReply, repeatCalls } from "./open.js";
import { clientLeft } from "./open-runs.js";
import { planTurn, type TurnPlan } from "./plan.js";
import { formatTitle } from "./quirks/title-request.js";
import { Relay } from "./relay.js";
import { type Reply, replyAlone } from "./reply.js";
import { ReplySteps } from "./reply-steps.js";
import { noteRound, noteTurnUsage, type Request, type Task } from "./request.js";
import { RunStarter } from "./run-starter.js";
import type { Services } from "./services.js";
import { KnownConversation } from "./sessions/known.js";
import { Settlement } from "./settle.js";
import { guardFromTranscript } from "./tools/loop-guard.js";

/** If the title call takes longer, an ordinary turn writes the title. */
const NAMING_MS = 10_000;

interface Progress {
  hasBegun: boolean;
}

/** Tries one backend, up to the first event that the client sees. Returns any failure before that event. */
export async function attempt(
  { name, history }: NextBackend,
  request: Request,
  services: Services,
): Promise<Reply | FailedBackend> {
  const { record } = request.context;
  const progress = { hasBegun: false };
  try {
    const { turn, owner, waiting, context, backends } = request;
    const { backend, catalogue } = backends.open(name);
    const model = waiting?.model ?? catalogue.current(turn) ?? (await catalogue.resolve(turn, context.signal));
    const warnings = admitModel(model, request, services);
    record.model = model.shownAs; // usage is booked on it even if there is no reply
    const health = backends.trackerOf(name);
    const whose = { owner, backend: name, can: backend.can };
    const known = waiting?.known ?? new KnownConversation(turn, whose, services);
    const task: Task = { services, request, backend, health, model, catalogue, warnings, known, history };
    const title = request.toName === undefined ? undefined : await replyWithTitle(task);
    return title ?? (await carryOut(waiting?.plan ?? planTurn(turn, known), task, progress));
  } catch (thrown) {
    return { kind: "failed-backend", name, model: record.model, error: GatewayError.from(thrown), ...progress };
  }
}

/** Undefined when an ordinary turn has to write the title. The call is no run; its usage is estimated, because Cursor reports none. */
async function replyWithTitle(task: Task): Promise<Reply | undefined> {
  const { services, backend, model, request } = task;
  const { record, signal } = request.context;
  const { turn, toName, check } = request;
  // The naming call has no stop sequences.
  if (toName === undefined || !services.settings.cheapTitles || turn.stop !== undefined) return undefined;
  if (backend.nameConversation === undefined) return undefined;
  const continuity = "cold:new";
  notePlanned(continuity, 0, task);
  const tooLong = new AbortController();
  const stopTimer = services.clock.after(NAMING_MS, () => tooLong.abort());
  try {
    const name = await backend.nameConversation(toName, anySignal([signal, tooLong.signal]));
    if (!name && signal.aborted) throw clientLeft();
    const title = formatTitle(name, turn);
    if (!name || (check !== undefined && "fault" in check.judge(title))) return undefined;
    noteTurnUsage(record, estimatedUsage(estimatedInput({ system: toName, tools: [], messages: [] }), title.length));
    const warnings = [...turn.warnings, ...request.warnings, ...task.warnings];
    return {
      backend: backend.name,
      model: model.shownAs,
      continuity,
      warnings,
      events: replyAlone(toText(title), "stop"),
    };
  } catch (problem) {
    if (signal.aborted) throw clientLeft();
    services.onProblem(problem);
    return undefined;
  } finally {
    stopTimer();
  }
}

async function carryOut(plan: TurnPlan, task: Task, progress: Progress): Promise<Reply> {
  const { services, request, backend, health, model } = task;
  claimRuns(plan, services.lot);
  if (plan.kind === "results") noteRound(request.context.record, plan.run);
  const starter = new RunStarter(task);
  request.context.record.pauses = starter.pauses;
  let begun: Begun;
  try {
    begun = await begin(plan, task, starter, progress);
  } catch (thrown) {
    const step = next({ kind: "failed-run", plan, error: GatewayError.from(thrown) }, task.history);
    if (step.kind === "give-up") throw explained(step.error, model);
    begun = await begin(step.plan, { ...task, history: step.history }, starter, progress);
  }
  const [served, events] = begun;
  health?.succeeded();
  const { turn } = request;
  const warnings = starter.raised; // the run may still add some
  const aboutRequest = [...turn.warnings, ...model.warnings, ...unhonoured(turn, backend), ...starter.warnings];
  warnings.unshift(...once(aboutRequest, task), ...request.warnings, ...task.warnings);
  const { record, wantsCacheMiss } = request.context;
  // A client that leaves and asks again at once seems to race itself until its first connection is seen to be gone.
  const judged = served.continuity === "cold:raced" ? planTurn(turn, task.known) : served;
  const { continuity } = judged;
  record.continuity = continuity;
  const missed = cacheMissOf(judged, turn, model.id, task.known);
  record.cacheMiss = missed?.changed;
  const cacheMiss = wantsCacheMiss ? missed : undefined;
  const reply = { backend: backend.name, model: model.shownAs, continuity, warnings, cacheMiss, events };
  services.countReply(reply);
  return reply;
}

/** Cursor refuses an option that its model does not have with a bare code. */
function explained(error: GatewayError, { doubt }: ResolvedModel): GatewayError {
  if (error.code !== "not_found" || doubt === undefined) return error;
  const text = `Cursor refused the model's name. ${doubt}`;
  return new GatewayError("model_not_found", text, { param: "model", cause: error });
}

function notePlanned(continuity: Continuity, sentAgainTokens: number, { services, request }: Task): void {
  const { record } = request.context;
  record.continuity = continuity;
  record.sentAgainTokens = sentAgainTokens;
  record.plannedMs = services.clock.now();
  publish("curlew:request:planned", record);
}

type Begun = readonly [TurnPlan, TurnEvents];

const noCalls: ReadonlySet<string> = new Set();

async function begin(plan: TurnPlan, task: Task, starter: RunStarter, progress: Progress): Promise<Begun> {
  const { services, request } = task;
  const { turn, context } = request;
  const { record, onOpened } = context;
  notePlanned(plan.continuity, tokensUploadedAgain(plan, turn), task);
  let opened: OpenRun | OwnReply;
  if (plan.kind === "repeat-calls") opened = repeatCalls(plan, task);
  else if (plan.kind === "results") opened = await handOver(plan, task, starter);
  else {
    const guard = guardFromTranscript(turn.messages, services.settings.toolLoopMaxRepeat);
    const exchange = starter.startNow(plan) ?? (await starter.start(plan, guard));
    opened = { plan, exchange, guard, seenCalls: noCalls, bytes: record.bodyBytes };
  }
  if ("events" in opened) return [plan, opened.events];
  record.openedMs = services.clock.now();
  onOpened?.();
  publish(plan.kind === "results" ? "curlew:request:resumed" : "curlew:request:opened", record);
  const steps = new ReplySteps(services, request, plan.kind === "results");
  const settlement = new Settlement(task, starter, opened, steps);
  const relay = new Relay(settlement.begin(), steps, settlement);
  try {
    await relay.prime();
  } finally {
    if (relay.hasBegun) progress.hasBegun = true;
  }
  return [settlement.plan, relay];
}

/** What a client asks for in vain it asks for in every request: the warning is given once a conversation. */
function once(warnings: readonly string[], { services, request }: Task): readonly string[] {
  const { place, context } = request;
  return warnings.filter((warning) => {
    const key = `${context.record.thread} ${warning}`;
    const isNew = place === "new" || !services.warned.has(key);
    services.warned.set(key, true);
    return isNew;
  });
}

function unhonoured({ tools, workspace, webTool }: Turn, { can, name }: Backend): string[] {
  const warnings: string[] = [];
  if (tools.length > 0 && !can.tools) {
    warnings.push(`The ${tools.length} tools of this request are not offered to the model.`);
  }
  if (workspace !== undefined && !can.workspaces) {
    warnings.push(`The ${name} backend cannot work in your folders, so x-curlew-workspace is ignored.`);
  }
  if (webTool !== undefined && can.webSearch !== true) {
    warnings.push(`The tool ${webTool} is left out: it needs the agent backend and the setting webTools.`);
  }
  return warnings;
}
