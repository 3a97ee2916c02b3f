import type { Backend } from "../backends/backend.js";
import type { Backends, HealthRecord } from "../backends/choose/index.js";
import { freePermit, type Permit } from "../breaker/index.js";
import type { AnswerCheck } from "../formats/answer-formats.js";
import { refuseBadLimits } from "../limits/reply-limits.js";
import type { ResolvedModel } from "../models/index.js";
import { isTitleRequest } from "../quirks/title-request.js";
import { ownerOf, runWaitingFor } from "../sessions/known.js";
import type { ParkedRun } from "../sessions/parking.js";
import { callableTools } from "../tools/tool-choice.js";
import type { ToolDefinition, Turn } from "../turn/turn.js";
import type { Account, BackendWithModels, Services } from "./services.js";

export interface RunContext {
  readonly requestId: string;
  /** Names the gateway key that the request came with, without telling it; empty when there is none. */
  readonly caller: string;
  /** Whose subscription it is, where the request brought its own. */
  readonly account?: Account | undefined;
  /** How large the request is, for what is kept of it when its run is parked. */
  readonly bodyBytes?: number;
  /** Aborted when the client leaves; the upstream is then cancelled unless it has already ended or waits for results. */
  readonly signal: AbortSignal;
}

/** A turn that was let in, and what does not depend on the backend that it goes to. */
export interface Request {
  readonly turn: Turn;
  /** What the answer has to pass, if it is to have a format. */
  readonly check: AnswerCheck | undefined;
  /** The tools that the model may call under the client's choice. */
  readonly callable: readonly ToolDefinition[];
  readonly isTitle: boolean;
  readonly context: RunContext;
  readonly backends: Backends<BackendWithModels>;
  readonly owner: string;
  /** The run that waits for the results which the turn brings, as far as it was there when the request came. */
  readonly waiting: ParkedRun | undefined;
  readonly permit: Permit;
}

/** A request on its way over one backend. */
export interface Task {
  readonly services: Services;
  readonly request: Request;
  readonly backend: Backend;
  readonly health: HealthRecord | undefined;
  readonly model: ResolvedModel;
}

/** Throws where the turn cannot be carried out as it is, or the same has just failed. */
export async function admit(asked: Turn, context: RunContext, services: Services): Promise<Request> {
  refuseBadLimits(asked);
  const turn = { ...asked, tools: services.toolLists.same(asked.tools) };
  const callable = callableTools(turn.tools, turn.toolChoice);
  const check = turn.format && (await services.formats.checkOf(turn.format));
  const { account, backends } = context.account ?? services.ownAccount;
  const owner = ownerOf(account, context.caller);
  const waiting = runWaitingFor(turn, owner, services.lot);
  const permit = waiting === undefined ? services.breaker.admit(turn, owner) : freePermit;
  return { turn, check, callable, isTitle: isTitleRequest(turn), context, backends, owner, waiting, permit };
}
