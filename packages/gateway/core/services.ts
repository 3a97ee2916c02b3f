import type { Backend, Exchange } from "../backends/backend.js";
import type { Backends } from "../backends/choose/index.js";
import type { Catalogue } from "../models/index.js";
import { type Store, withOverflow } from "../store/index.js";
import type { Clock } from "../system/clock.js";
import { BoundedMap } from "../turn/bounded-map.js";
import type { GatewayError } from "../turn/error.js";
import { publish, type RequestRecord } from "../turn/events/channels.js";
import type { Attachments } from "./attachments/index.js";
import { FailureBreaker } from "./breaker/failure-breaker.js";
import type { Continuity } from "./continuity.js";
import { AnswerFormats } from "./formats/answer-formats.js";
import { OpenRuns, type RunLimits } from "./open-runs.js";
import type { LimitGuard } from "./ports.js";
import type { Reply } from "./reply.js";
import { type LotSettings, ParkingLot } from "./sessions/parking.js";
import { type NewIds, noteLeft, randomIds } from "./sessions/positions.js";
import type { McpBridge } from "./tools/mcp/index.js";
import { ToolLists } from "./tools/tool-choice.js";

export interface GatewaySettings extends LotSettings, RunLimits {
  readonly retries: number;
  /** How often an identical call may have an identical result before the run is ended; 0 = no limit. */
  readonly toolLoopMaxRepeat: number;
  /** Whether `<think>` tags that leak into text become thinking. */
  readonly thinkTags: boolean;
  readonly writtenCalls: boolean;
  readonly cheapTitles: boolean;
  readonly ledgerTexts?: boolean;
}

export interface BackendWithModels {
  readonly backend: Backend;
  readonly catalogue: Catalogue;
}

/** The Cursor account that a turn uses, and the backends that reach it. */
export interface Account {
  /** The account's id. Nothing stored for one account is ever found under another. */
  readonly account: string;
  readonly backends: Backends<BackendWithModels>;
}

export interface PlanForModel {
  /** Why the plan cannot be read. */
  readonly problem?: string | null;
  readonly resets?: Date | undefined;
  /** Which pool is used up, and what still works. */
  readonly usedUp?: string | undefined;
}

/** The account is the gateway's own, for requests that bring none. */
export interface GatewayDeps extends Account {
  readonly gatewayId: string;
  readonly store: Store;
  readonly attachments: Attachments;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly newIds?: NewIds;
  /** Tools that the gateway runs itself, for its owner alone. */
  readonly bridge?: McpBridge;
  readonly guard?: LimitGuard;
  /** What the plan of the gateway's own account says about a model that was refused. Answers soon, and never throws. */
  readonly planFor?: (model: string) => Promise<PlanForModel>;
  readonly onProblem?: (problem: unknown) => void;
}

/** Beyond this number of warnings given, the oldest may be given again. */
const MAX_WARNED = 2_000;
/** Enough of a random id to keep turn ids unique among the gateways that share a ledger. */
const TURN_PREFIX_LENGTH = 8;

/** The parts that live as long as the gateway. They are made once and handed to every request. */
export type Services = ReturnType<typeof makeServices>;

export function makeServices(deps: GatewayDeps) {
  const { clock, attachments, settings, bridge, guard, planFor, gatewayId, onProblem = () => {} } = deps;
  const ownAccount: Account = deps; // read late: a login may change the id while the gateway runs
  const continuity: Partial<Record<Continuity, number>> = {};
  const turnPrefix = gatewayId.slice(0, TURN_PREFIX_LENGTH);
  let turns = 0;
  const store = withOverflow(deps.store, clock.now);
  return {
    ownAccount,
    store,
    lot: new ParkingLot(clock, settings, (run, reason) => {
      const { pausedBy, exchange, owner, lineage, conversationId } = run;
      const { requestId } = pausedBy;
      const usage = exchange.usageSoFar().turn;
      noteLeft(store, owner, lineage, conversationId);
      publish("curlew:run:abandoned", { gateway: gatewayId, request: pausedBy, requestId, reason, usage });
    }),
    clock,
    newIds: deps.newIds ?? randomIds,
    attachments,
    settings,
    bridge,
    guard,
    planFor,
    /** Not the id of the turn's first request: a client may use one id for many. */
    newTurnId: () => `${turnPrefix}-${(turns++).toString(36)}`,
    onFailedAttempt({ code }: GatewayError, isRetried: boolean): void {
      publish("curlew:upstream:failed", { gateway: gatewayId, code, isRetried });
    },
    breaker: new FailureBreaker(clock.now),
    openExchanges: new OpenExchanges(),
    openRuns: new OpenRuns(clock, settings),
    formats: new AnswerFormats(),
    toolLists: new ToolLists(),
    /** The warnings that each conversation has been given. */
    warned: new BoundedMap<string, true>(MAX_WARNED),
    continuity,
    onProblem,
    countReply({ continuity: how }: Reply): void {
      continuity[how] = (continuity[how] ?? 0) + 1;
    },
  };
}

/** Decides whether a stop ends a request: the number of stops when it came, and its conversation. */
interface Stoppable {
  readonly stops: number;
  readonly context: { readonly record: Pick<RequestRecord, "thread"> };
}

/** The open exchanges. After `close()`, exchanges that are added late are closed at once. */
class OpenExchanges {
  stops = 0;
  /** The number of the newest stop of each conversation; under `undefined`, of all conversations. */
  readonly #newestStop = new Map<string | undefined, number>();
  readonly #exchanges = new Map<Exchange, string | undefined>();
  #isClosed = false;

  /** Closes the exchange at once if a stop came after its request. */
  add(exchange: Exchange, { stops, context }: Stoppable): void {
    const { thread } = context.record;
    this.#exchanges.set(exchange, thread);
    if (this.#isClosed) exchange.close("shutdown");
    else if ([undefined, thread].some((each) => (this.#newestStop.get(each) ?? 0) > stops)) exchange.close("stopped");
  }

  delete(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
  }

  /** Closes the open exchanges, and those that earlier requests will still add. Returns how many were open. */
  stop(thread?: string): number {
    if (thread === undefined) this.#newestStop.clear();
    this.#newestStop.set(thread, ++this.stops);
    const stopped = [...this.#exchanges].filter(([, each]) => thread === undefined || each === thread);
    for (const [exchange] of stopped) exchange.close("stopped");
    return stopped.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#exchanges.keys()) exchange.close("shutdown");
  }
}
