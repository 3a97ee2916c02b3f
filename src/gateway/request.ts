import type { Backend, Exchange } from "../backends/backend.js";
import type { Backends, HealthTracker } from "../backends/choose/index.js";
import { freePermit, type Permit } from "../breaker/index.js";
import type { RequestRecord } from "../events/index.js";
import type { AnswerCheck } from "../formats/answer-formats.js";
import { refuseBadLimits } from "../limits/reply-limits.js";
import type { Catalogue, ResolvedModel } from "../models/index.js";
import { isTitleRequest } from "../quirks/title-request.js";
import { threadOf } from "../sessions/fingerprint.js";
import { type KnownConversation, ownerOf, runWaitingFor } from "../sessions/known.js";
import type { ParkedRun } from "../sessions/parking.js";
import { callableTools } from "../tools/tool-choice.js";
import { addUsage, type Usage } from "../turn/event.js";
import type { ToolDefinition, Turn } from "../turn/turn.js";
import type { Plan } from "./plan.js";
import type { Account, BackendWithModels, Services, TurnGuard } from "./services.js";

export interface Who {
  /** Identifies the gateway key of the request without revealing it; empty when there is none. */
  readonly caller: string;
  readonly account?: Account | undefined;
}

export interface RunContext extends Pick<Who, "account"> {
  /** What becomes of the request is written here, and published. */
  readonly record: RequestRecord;
  readonly wantsCacheMiss?: boolean | undefined;
  /** Aborted when the client leaves; the upstream is then cancelled unless it has already ended or waits for results. */
  readonly signal: AbortSignal;
  /** Called when a run is open for the request; once more if another one has to answer it. */
  readonly onOpened?: (() => void) | undefined;
}

interface AcceptedTurn {
  readonly turn: Turn;
  readonly callable: readonly ToolDefinition[];
  /** How often the owner had stopped something when the turn came. */
  readonly stops: number;
}

export interface ExaminedTurn extends AcceptedTurn {
  readonly check: AnswerCheck | undefined;
  readonly isTitle: boolean;
  readonly backends: Backends<BackendWithModels>;
  readonly owner: string;
  readonly waiting: ParkedRun | undefined;
}

export interface Request extends ExaminedTurn {
  readonly context: RunContext;
  /** Becomes another one when results turn out to begin a run. */
  permit: Permit;
  /** What was warned of then, and when the model was known. */
  lateWarnings: readonly string[];
}

export interface Task {
  readonly services: Services;
  readonly request: Request;
  readonly backend: Backend;
  readonly health: HealthTracker | undefined;
  readonly model: ResolvedModel;
  readonly catalogue: Pick<Catalogue, "learnShape">;
  /** What the plan was made by. Its keys are hashes over the whole transcript, so they are not made again. */
  known: KnownConversation | undefined;
}

const free: ReturnType<TurnGuard["admit"]> = { warnings: [], waitMs: 0 };

/** @throws GatewayError `invalid_request` for limits or tools that cannot be honoured */
export function acceptTurn(asked: Turn, { toolLists, openExchanges }: Services): AcceptedTurn {
  refuseBadLimits(asked);
  const turn = { ...asked, tools: toolLists.same(asked.tools) };
  return { turn, callable: callableTools(turn.tools, turn.toolChoice), stops: openExchanges.stops };
}

/** Gathers what serving a turn needs. Changes nothing. */
function examine(
  { turn, callable, stops }: AcceptedTurn,
  check: AnswerCheck | undefined,
  who: Who,
  services: Services,
): ExaminedTurn {
  const { account, backends } = who.account ?? services.ownAccount;
  const owner = ownerOf(account, who.caller);
  const waiting = runWaitingFor(turn, owner, services.lot);
  return { turn, check, callable, stops, isTitle: isTitleRequest(turn), backends, owner, waiting };
}

/** Asks the guard whether a turn may go on, after a wait. @throws GatewayError when one of the owner's limits is reached */
export function admit(
  accepted: AcceptedTurn,
  check: AnswerCheck | undefined,
  { record, account }: RunContext,
  services: Services,
): { readonly admitted: ExaminedTurn; readonly waitMs: number } {
  const examined = examine(accepted, check, { caller: record.caller, account }, services);
  record.account = account?.account ?? "";
  noteTurn(record, examined, services);
  const { warnings, waitMs } = services.guard?.admit(record, placeOf(examined)) ?? free;
  if (warnings.length === 0) return { admitted: examined, waitMs };
  const { turn } = examined;
  return { admitted: { ...examined, turn: { ...turn, warnings: [...turn.warnings, ...warnings] } }, waitMs };
}

function placeOf({ turn, waiting }: ExaminedTurn): Parameters<TurnGuard["admit"]>[1] {
  if (waiting !== undefined) return "results";
  return turn.messages.some(({ role }) => role === "assistant") ? "ongoing" : "new";
}

/** Asks the breaker for a permit. @throws GatewayError, the failure that the breaker holds for an equal turn */
export function permitTurn(admitted: ExaminedTurn, context: RunContext, { breaker }: Services): Request {
  const { turn, owner, waiting } = admitted;
  const permit = waiting === undefined ? breaker.admit(turn, owner) : freePermit;
  return { ...admitted, context, permit, lateWarnings: free.warnings };
}

/**
 * Asks about a turn that was let through because it brings results, once it is known that it asks something new: its results do not
 * fit the run that waits, or have words of the user beside them. @throws GatewayError of a limit of the owner's, or of the breaker
 */
export function admitLate(request: Request, plan: Plan, model: ResolvedModel, { guard, breaker }: Services): void {
  const { turn, owner, waiting, context } = request;
  if (waiting === undefined || request.permit !== freePermit) return;
  const { record } = context;
  const startsRun = plan.kind !== "results";
  if (startsRun) {
    record.turnId = record.requestId;
    record.leaseEndsMs = undefined;
  }
  if (guard !== undefined) {
    const { warnings } = guard.admit(record, "late");
    const all = [...warnings, ...guard.admitModel(record, "late", model)];
    request.lateWarnings = all.filter((warning) => !turn.warnings.includes(warning));
  }
  if (startsRun) request.permit = breaker.admit(turn, owner);
}

function noteTurn(record: RequestRecord, { turn, owner, waiting }: ExaminedTurn, { newTurnId, lot }: Services): void {
  record.thread = waiting?.pausedBy.thread ?? threadOf(turn.messages, owner);
  record.turnId = waiting?.pausedBy.turnId ?? newTurnId();
  if (waiting !== undefined) record.leaseEndsMs = lot.leaseEndOf(waiting);
}

/** Notes that a run which waited goes on with this request. One that is refused is no round: the run still waits. */
export function noteRound(record: RequestRecord, { pausedBy, pausedMs }: ParkedRun): void {
  record.round = pausedBy.round + 1;
  record.clientToolsMs = Math.max(0, record.startedMs - pausedMs);
}

export function mayTitleCheaply(isTitle: boolean, { settings }: Services, backend: Backend): boolean {
  return isTitle && settings.cheapTitles && backend.nameConversation !== undefined;
}

/** Adds what a run has taken upstream since this was last done to the request that it was taken for. */
export function noteUpstream(record: RequestRecord, { meter }: Exchange): void {
  record.runs += meter.runs;
  record.retries += meter.retries;
  record.sentBytes += meter.sentBytes;
  record.receivedBytes += meter.receivedBytes;
  meter.runs = 0;
  meter.retries = 0;
  meter.sentBytes = 0;
  meter.receivedBytes = 0;
}

/** Books a turn on the request with which it ended. A reply may take several runs. */
export function noteTurnUsage(record: RequestRecord, usage: Usage): void {
  record.turnUsage = record.turnUsage === undefined ? usage : addUsage(record.turnUsage, usage);
}

/** Books a run that ends early: Cursor will not say what it took. */
export function noteCutRun(record: RequestRecord, exchange: Exchange): void {
  noteTurnUsage(record, { ...exchange.usageSoFar().turn, estimated: true });
}
