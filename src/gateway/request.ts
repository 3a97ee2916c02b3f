import type { Backend, Exchange } from "../backends/backend.js";
import type { Backends, HealthTracker } from "../backends/choose/index.js";
import type { Permit } from "../breaker/failure-breaker.js";
import type { RequestRecord } from "../events/channels.js";
import type { AnswerCheck } from "../formats/answer-formats.js";
import type { Catalogue, ResolvedModel } from "../models/index.js";
import type { KnownConversation } from "../sessions/known.js";
import type { ParkedRun } from "../sessions/parking.js";
import type { TurnPlace } from "../spend/index.js";
import { addUsage, type Usage } from "../turn/event.js";
import type { ToolDefinition, Turn } from "../turn/turn.js";
import type { History } from "./next.js";
import type { TurnPlan } from "./plan.js";
import type { Account, BackendWithModels, Services } from "./services.js";

export interface Who {
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

/** A turn that every gate has let pass. */
export interface Request {
  readonly turn: Turn;
  readonly context: RunContext;
  /** How often the owner had stopped something when the turn came. */
  readonly stops: number;
  readonly owner: string;
  readonly backends: Backends<BackendWithModels>;
  readonly isTitle: boolean;
  readonly callable: readonly ToolDefinition[];
  readonly check: AnswerCheck | undefined;
  /** The run that waits for results in this turn, and the plan by what it was admitted. Other turns are planned on their backend. */
  readonly waiting: WaitingRun | undefined;
  readonly place: TurnPlace;
  /** What the client is told, besides what its model is warned of. */
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
  readonly catalogue: Pick<Catalogue, "learnShape">;
  /** What the owner's limits say about the model. */
  readonly warnings: readonly string[];
  /** What the plan is made by. Its keys are hashes over the whole transcript, so they are not made again. */
  readonly known: KnownConversation;
  readonly history: History;
}

/** Notes that a run which waited goes on with this request. One that is refused is no round: the run still waits. */
export function noteRound(record: RequestRecord, { pausedBy, pausedMs }: ParkedRun): void {
  record.round = pausedBy.round + 1;
  record.clientToolsMs = Math.max(0, record.startedMs - pausedMs);
}

const counters = ["runs", "retries", "sentBytes", "receivedBytes"] as const;

/** Adds what a run has taken upstream since this was last done to the request that it was taken for. */
export function noteUpstream(record: RequestRecord, { meter }: Exchange): void {
  for (const counter of counters) {
    record[counter] += meter[counter];
    meter[counter] = 0;
  }
}

/** Books a turn on the request with which it ended. A reply may take several runs. */
export function noteTurnUsage(record: RequestRecord, usage: Usage): void {
  record.turnUsage = record.turnUsage === undefined ? usage : addUsage(record.turnUsage, usage);
}

/** Books a run that ends early: Cursor will not say what it took. */
export function noteCutRun(record: RequestRecord, exchange: Exchange): void {
  noteTurnUsage(record, { ...exchange.usageSoFar().turn, estimated: true });
}
