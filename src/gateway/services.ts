import type { Attachments } from "../attachments/index.js";
import type { Backend } from "../backends/backend.js";
import type { Roads } from "../backends/choose/index.js";
import { FailureBreaker } from "../breaker/index.js";
import type { Clock } from "../clock.js";
import { AnswerFormats } from "../formats/answer-formats.js";
import type { Catalogue } from "../models/index.js";
import { ParkingLot } from "../sessions/parking.js";
import { type Store, withOverflow } from "../store/index.js";
import type { McpBridge } from "../tools/mcp/index.js";
import { ToolLists } from "../tools/tool-lists.js";
import type { Usage } from "../turn/event.js";
import { OpenExchanges } from "./open-exchanges.js";
import type { Continuity } from "./plan.js";
import type { Reply } from "./reply.js";

export interface GatewaySettings {
  /** How long a run waits for results. */
  readonly leaseMs: number;
  /** How many runs may wait at once; beyond it the oldest is let go. */
  readonly maxParkedRuns: number;
  /** Identical calls with identical results that pass before the run is ended; 0 = no limit. */
  readonly toolLoopMaxRepeat: number;
  /** Whether `<think>` tags that leak into text become thinking. */
  readonly thinkTags: boolean;
  /** Whether calls that a model writes as text become calls. */
  readonly writtenCalls: boolean;
  /** Whether requests for a title take the cheap way. */
  readonly cheapTitles: boolean;
}

export interface Books {
  reply(model: string, facts: { isWarm: boolean }): void;
  turn(model: string, usage: Usage): void;
}

/** One way to Cursor, and the models that it has. */
export interface Road {
  readonly backend: Backend;
  readonly catalogue: Catalogue;
}

/** Whose subscription a turn is for, and the ways there. */
export interface Account {
  /** Names it; nothing of one account is ever found under another. */
  readonly account: string;
  readonly roads: Roads<Road>;
}

/** The account is the gateway's own, for requests that bring none. */
export interface GatewayDeps extends Account {
  readonly store: Store;
  readonly attachments: Attachments;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  /** Tools that the gateway runs itself, for its owner alone. */
  readonly bridge?: McpBridge;
  /** Where what went through is written down. */
  readonly books?: Books;
  /** What went wrong without stopping anything. */
  readonly onProblem?: (problem: unknown) => void;
}

/** What lives as long as the gateway. It is made once, and every request is handed the same one. */
export class Services {
  /** The gateway's own; its name may change while it runs, when somebody logs in. */
  readonly ownAccount: Account;
  readonly store: Store;
  readonly lot: ParkingLot;
  readonly attachments: Attachments;
  readonly settings: GatewaySettings;
  readonly bridge: McpBridge | undefined;
  readonly books: Books | undefined;
  readonly breaker: FailureBreaker;
  readonly openExchanges = new OpenExchanges();
  readonly formats = new AnswerFormats();
  readonly toolLists = new ToolLists();
  /** How often replies went on from where they were, and why the others did not. */
  readonly continuity: Partial<Record<Continuity, number>> = {};
  readonly #onProblem: ((problem: unknown) => void) | undefined;

  constructor(deps: GatewayDeps) {
    this.ownAccount = deps;
    this.store = withOverflow(deps.store, { now: () => deps.clock.now() });
    this.lot = new ParkingLot(deps.clock, deps.settings);
    this.attachments = deps.attachments;
    this.settings = deps.settings;
    this.bridge = deps.bridge;
    this.books = deps.books;
    this.breaker = new FailureBreaker(deps.clock.now);
    this.#onProblem = deps.onProblem;
  }

  onProblem(problem: unknown): void {
    this.#onProblem?.(problem);
  }

  /** Counts a reply whose first event is there. */
  countReply({ continuity, model }: Reply): void {
    this.continuity[continuity] = (this.continuity[continuity] ?? 0) + 1;
    this.books?.reply(model, { isWarm: continuity === "warm" });
  }
}
