import type { Backend } from "../backends/backend.js";
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
import type { ToolDefinition, Turn } from "../turn/turn.js";
import type { Account, BackendWithModels, Services, TurnGuard } from "./services.js";

/** Whose request it is. */
export interface Who {
  /** Identifies the gateway key of the request without revealing it; empty when there is none. */
  readonly caller: string;
  /** The Cursor account of the request, if it brought its own. */
  readonly account?: Account | undefined;
}

export interface RunContext extends Pick<Who, "account"> {
  /** What becomes of the request is written here, and published. */
  readonly record: RequestRecord;
  /** Whether the reply says why the model could not read the conversation from its cache. */
  readonly wantsCacheMiss?: boolean | undefined;
  /** Aborted when the client leaves; the upstream is then cancelled unless it has already ended or waits for results. */
  readonly signal: AbortSignal;
}

/** A turn whose limits and tools can be honoured. */
interface AcceptedTurn {
  readonly turn: Turn;
  /** The tools that the model may call under the client's choice. */
  readonly callable: readonly ToolDefinition[];
  /** How often the owner had stopped everything when the turn came. */
  readonly stops: number;
}

/** A turn that can be served, and what does not depend on the backend that serves it. */
export interface ExaminedTurn extends AcceptedTurn {
  /** The check that the answer must pass, if the turn asks for a format. */
  readonly check: AnswerCheck | undefined;
  readonly isTitle: boolean;
  readonly backends: Backends<BackendWithModels>;
  readonly owner: string;
  /** The run that waits for the results of this turn, if there was one when the request came. */
  readonly waiting: ParkedRun | undefined;
}

/** A turn that may go to Cursor. */
export interface Request extends ExaminedTurn {
  readonly context: RunContext;
  /** Becomes another one when results turn out to begin a run. */
  permit: Permit;
  /** What was warned of then. */
  lateWarnings: readonly string[];
}

/** A request as one backend serves it. */
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
export function examine(
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

/**
 * Examines a turn, and asks the guard whether it may go on. It goes on after the wait.
 * @throws GatewayError when one of the owner's limits is reached
 */
export function admit(
  accepted: AcceptedTurn,
  check: AnswerCheck | undefined,
  { record, account }: RunContext,
  services: Services,
): { readonly admitted: ExaminedTurn; readonly waitMs: number } {
  const examined = examine(accepted, check, { caller: record.caller, account }, services);
  noteTurn(record, examined, services);
  const { warnings, waitMs } = services.guard?.admit(record, placeOf(examined), account?.account) ?? free;
  if (warnings.length === 0) return { admitted: examined, waitMs };
  const { turn } = examined;
  return { admitted: { ...examined, turn: { ...turn, warnings: [...turn.warnings, ...warnings] } }, waitMs };
}

function placeOf({ turn, waiting }: ExaminedTurn): Parameters<TurnGuard["admit"]>[1] {
  if (waiting !== undefined) return "results";
  return turn.messages.some(({ role }) => role === "assistant") ? "ongoing" : "new";
}

/**
 * Asks the breaker for a permit.
 * @throws GatewayError, the failure that the breaker holds for an equal turn
 */
export function permitTurn(admitted: ExaminedTurn, context: RunContext, { breaker }: Services): Request {
  const { turn, owner, waiting } = admitted;
  const permit = waiting === undefined ? breaker.admit(turn, owner) : freePermit;
  return { ...admitted, context, permit, lateWarnings: free.warnings };
}

/**
 * Asks about a turn that was let through because it brings results, once it is known that it does not fit the run that waits for
 * them. It begins a run like any other turn, so the same limits hold for it.
 * @throws GatewayError when one of the owner's limits is reached, or the failure that the breaker holds for an equal turn
 */
export function admitLate(request: Request, model: ResolvedModel, { guard, breaker }: Services): void {
  const { turn, owner, waiting, context } = request;
  if (waiting === undefined || request.permit !== freePermit) return;
  const { record, account } = context;
  record.turnId = record.requestId;
  record.round = 0;
  if (guard !== undefined) {
    const { warnings } = guard.admit(record, "misfit", account?.account);
    request.lateWarnings = [...warnings, ...guard.admitModel(record, model, account?.account)];
  }
  request.permit = breaker.admit(turn, owner);
}

/** Notes which conversation and which turn a request belongs to. */
function noteTurn(record: RequestRecord, { turn, owner, waiting }: ExaminedTurn, { newTurnId }: Services): void {
  record.thread = waiting?.pausedBy.thread ?? threadOf(turn.messages, owner);
  record.turnId = waiting?.pausedBy.turnId ?? newTurnId();
  if (waiting === undefined) return;
  const { pausedBy, pausedMs } = waiting;
  record.round = pausedBy.round + 1;
  record.clientToolsMs = Math.max(0, record.startedMs - pausedMs);
}

/** Whether a backend names a conversation by a call that costs less than a turn. */
export function mayTitleCheaply(isTitle: boolean, { settings }: Services, backend: Backend): boolean {
  return isTitle && settings.cheapTitles && backend.nameConversation !== undefined;
}
