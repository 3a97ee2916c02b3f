import type { Attachments } from "../attachments/index.js";
import type { Backend, Exchange } from "../backends/backend.js";
import type { Backends } from "../backends/choose/index.js";
import { FailureBreaker } from "../breaker/index.js";
import type { Clock } from "../clock.js";
import { publish, type RequestRecord } from "../events/index.js";
import { AnswerFormats } from "../formats/answer-formats.js";
import type { Catalogue, ResolvedModel } from "../models/index.js";
import { ParkingLot } from "../sessions/parking.js";
import { OverflowStore, type Store } from "../store/index.js";
import type { McpBridge } from "../tools/mcp/index.js";
import { ToolLists } from "../tools/tool-lists.js";
import type { GatewayError } from "../turn/error.js";
import { ColdConfirmations } from "./cold-confirmations.js";
import type { Continuity } from "./continuity.js";
import { OpenRuns } from "./open-runs.js";
import type { Reply } from "./reply.js";

export interface GatewaySettings {
  /** How long a run waits for results. */
  readonly leaseMs: number;
  /** How many runs may wait at once. Beyond that the oldest is closed. */
  readonly maxParkedRuns: number;
  /** How many runs may be open at once, and how long a request waits for that. */
  readonly maxRuns: number;
  readonly runWaitMs: number;
  /** How often a backend may try again before the first output. */
  readonly retries: number;
  /** How often an identical call may have an identical result before the run is ended; 0 = no limit. */
  readonly toolLoopMaxRepeat: number;
  /** Whether `<think>` tags that leak into text become thinking. */
  readonly thinkTags: boolean;
  /** Whether calls that a model writes as text become calls. */
  readonly writtenCalls: boolean;
  readonly cheapTitles: boolean;
  /** A turn that sends more tokens than this again must be confirmed; 0 = none. */
  readonly confirmCold: number;
  /** Whether the journal keeps the words of the user and of the answer. */
  readonly ledgerTexts?: boolean;
}

/** One way to Cursor, and the models that it has. */
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

/** Compares turns with the owner's limits. */
export interface TurnGuard {
  /** What the first requests have to wait for; undefined from then on. */
  readonly opening: Promise<void> | undefined;
  /**
   * Asked about each turn before anything is planned, with the account that it brought, if it brought its own; and once more about one with results that do not fit the run that waits.
   * @throws GatewayError when the turn may not go on
   */
  admit(
    record: RequestRecord,
    place: "new" | "ongoing" | "results" | "misfit",
    account: string | undefined,
  ): { readonly warnings: readonly string[]; readonly waitMs: number };
  /**
   * Asked again when it is known which model is meant. Returns warnings.
   * @throws GatewayError when the turn may not go on
   */
  admitModel(
    record: RequestRecord,
    model: Pick<ResolvedModel, "id" | "shownAs">,
    account: string | undefined,
  ): readonly string[];
}

/** The account is the gateway's own, for requests that bring none. */
export interface GatewayDeps extends Account {
  /** Whose events are published about turns and runs. */
  readonly gatewayId: string;
  readonly store: Store;
  readonly attachments: Attachments;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  /** Tools that the gateway runs itself, for its owner alone. */
  readonly bridge?: McpBridge;
  readonly guard?: TurnGuard;
  /** When the plan of the gateway's own account resets, if that can be found out soon. It never throws. */
  readonly planResets?: () => Promise<Date | undefined>;
  /** Takes problems that did not stop a request. */
  readonly onProblem?: (problem: unknown) => void;
}

/** Enough of a random id to tell the turns of gateways apart that write into one ledger. */
const TURN_PREFIX_LENGTH = 8;

/** The parts that live as long as the gateway. They are made once and handed to every request. */
export type Services = ReturnType<typeof makeServices>;

export function makeServices(deps: GatewayDeps) {
  const { clock, attachments, settings, bridge, guard, planResets, gatewayId, onProblem = () => {} } = deps;
  const ownAccount: Account = deps; // the id may change while the gateway runs, when somebody logs in
  const continuity: Partial<Record<Continuity, number>> = {};
  const turnPrefix = gatewayId.slice(0, TURN_PREFIX_LENGTH);
  let turns = 0;
  return {
    ownAccount,
    store: new OverflowStore(deps.store, clock.now),
    lot: new ParkingLot(clock, settings, (run, reason) => {
      const { pausedBy, exchange } = run;
      const { requestId } = pausedBy;
      const usage = exchange.usageSoFar().turn;
      publish("curlew:run:abandoned", { gateway: gatewayId, request: pausedBy, requestId, reason, usage });
    }),
    clock,
    attachments,
    settings,
    bridge,
    guard,
    planResets,
    /** Not the id of the request that begins the turn, because a client may use one id for many. */
    newTurnId: () => `${turnPrefix}-${(turns++).toString(36)}`,
    onFailedAttempt({ code }: GatewayError, isRetried: boolean): void {
      publish("curlew:upstream:failed", { gateway: gatewayId, code, isRetried });
    },
    breaker: new FailureBreaker(clock.now),
    confirmations: new ColdConfirmations(() => clock.elapsed()),
    openExchanges: new OpenExchanges(),
    openRuns: new OpenRuns(clock, settings),
    formats: new AnswerFormats(),
    toolLists: new ToolLists(),
    continuity,
    onProblem,
    countReply({ continuity: how }: Reply): void {
      continuity[how] = (continuity[how] ?? 0) + 1;
    },
  };
}

/** The exchanges that are under way. Once this is closed, it also closes exchanges that are added late. */
class OpenExchanges {
  /** How often the owner has stopped everything. */
  stops = 0;
  readonly #exchanges = new Set<Exchange>();
  #isClosed = false;

  /** @param stops how often the owner had stopped everything when the request of this exchange came */
  add(exchange: Exchange, stops: number): void {
    this.#exchanges.add(exchange);
    if (this.#isClosed) exchange.close("shutdown");
    else if (stops !== this.stops) exchange.close("stopped");
  }

  delete(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
  }

  /** Closes those under way, and those that requests of before will add. Returns how many are under way. */
  stop(): number {
    this.stops++;
    const stopped = [...this.#exchanges];
    for (const exchange of stopped) exchange.close("stopped");
    return stopped.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#exchanges) exchange.close("shutdown");
  }
}
