import type { Backend, Exchange } from "../backends/backend.js";
import type { Backends, HealthTracker } from "../backends/choose/index.js";
import type { Catalogue, ResolvedModel } from "../models/index.js";
import { addUsage, type Usage } from "../turn/event.js";
import type { RequestRecord } from "../turn/events/channels.js";
import type { ToolDefinition, Turn } from "../turn/turn.js";
import type { Permit } from "./breaker/failure-breaker.js";
import type { AnswerCheck } from "./formats/answer-formats.js";
import type { History } from "./next.js";
import type { TurnPlan } from "./plan.js";
import type { TurnPlace } from "./ports.js";
import type { Account, BackendWithModels, Services } from "./services.js";
import type { KnownConversation } from "./sessions/known.js";
import type { ParkedRun } from "./sessions/parking.js";

export interface Who {
  readonly caller: string;
  readonly account?: Account | undefined;
}

export interface RunContext extends Pick<Who, "account"> {
  /** All that is known about the request. Every event about it carries this. */
  readonly record: RequestRecord;
  readonly wantsCacheMiss?: boolean | undefined;
  /** Aborted when the client leaves; the upstream is then cancelled unless it has already ended or waits for results. */
  readonly signal: AbortSignal;
  /** Called when a run is open for the request; again if that run fails and another one replaces it. */
  readonly onOpened?: (() => void) | undefined;
}

/** A turn that has passed every gate. */
export interface Request {
  readonly turn: Turn;
  readonly context: RunContext;
  /** The number of the owner's stops when the turn came. */
  readonly stops: number;
  readonly owner: string;
  readonly backends: Backends<BackendWithModels>;
  /** The words that the client wants a title for, when it wants nothing else. */
  readonly toName: string | undefined;
  readonly callable: readonly ToolDefinition[];
  readonly check: AnswerCheck | undefined;
  /** The run that waits for this turn's results, and the plan that was admitted. Other turns are planned on their backend. */
  readonly waiting: WaitingRun | undefined;
  readonly place: TurnPlace;
  /** Warnings from the owner's limits, apart from those about the model. */
  readonly warnings: readonly string[];
  readonly permit: Permit;
}

interface WaitingRun {
  readonly run: ParkedRun;
  readonly model: ResolvedModel | undefined;
  readonly known: KnownConversation;
  readonly plan: TurnPlan;
}

export interface Task {
  readonly services: Services;
  readonly request: Request;
  readonly backend: Backend;
  readonly health: HealthTracker | undefined;
  readonly model: ResolvedModel;
  readonly catalogue: Pick<Catalogue, "learnShape" | "learnDynamicTools">;
  /** Warnings from the owner's limits for the model. */
  readonly warnings: readonly string[];
  /** The input of the plan. Kept, because its keys are hashes over the whole transcript. */
  readonly known: KnownConversation;
  readonly history: History;
}

/** Counts a round: a parked run continues with this request. Refused requests do not count: the run stays parked. */
export function noteRound(record: RequestRecord, { pausedBy, pausedMs }: ParkedRun): void {
  record.round = pausedBy.round + 1;
  record.clientToolsMs = Math.max(0, record.startedMs - pausedMs);
}

const counters = ["runs", "retries", "sentBytes", "receivedBytes"] as const;

/** Moves what a run has counted since the last call to the record of the request that caused it. */
export function noteUpstream(record: RequestRecord, { meter }: Exchange): void {
  for (const counter of counters) {
    record[counter] += meter[counter];
    meter[counter] = 0;
  }
}

/** Adds the usage of a run to the request with which its turn ended. A reply may take several runs. */
export function noteTurnUsage(record: RequestRecord, usage: Usage): void {
  record.turnUsage = record.turnUsage === undefined ? usage : addUsage(record.turnUsage, usage);
}

/** Records an estimate for a run that ends early: Cursor reports no usage for it. */
export function noteCutRun(record: RequestRecord, exchange: Exchange): void {
  noteTurnUsage(record, { ...exchange.usageSoFar().turn, estimated: true });
}
