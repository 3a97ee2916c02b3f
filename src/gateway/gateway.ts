import type { Attachments } from "../attachments/index.js";
import type { Backend, BackendName, Model } from "../backends/backend.js";
import type { Roads } from "../backends/choose/index.js";
import { FailureBreaker, freePermit } from "../breaker/index.js";
import type { Clock } from "../clock.js";
import { AnswerFormats } from "../formats/answer-formats.js";
import { refuseBadLimits } from "../limits/reply-limits.js";
import type { Catalogue } from "../models/index.js";
import { backendWaiting, type Continuity, ownerOf } from "../sessions/known.js";
import { ParkingLot } from "../sessions/parking.js";
import { type Store, withOverflow } from "../store/index.js";
import type { McpBridge } from "../tools/mcp/index.js";
import { callableTools } from "../tools/tool-choice.js";
import { ToolLists } from "../tools/tool-lists.js";
import { GatewayError } from "../turn/error.js";
import type { TurnEvents, Usage } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import { RoadRun } from "./attempt.js";
import { firstToAnswer } from "./first-to-answer.js";
import { OpenExchanges } from "./open-exchanges.js";

/** The facts that must be known before the first byte, and the events. */
export interface Reply {
  readonly backend: BackendName;
  /** The model that answers, as Cursor calls it to people. */
  readonly model: string;
  readonly continuity: Continuity;
  readonly warnings: readonly string[];
  readonly events: TurnEvents;
}

/** Texts that are kept for later requests of the same owner, by id. */
export interface Shelf {
  get(id: string): string | undefined;
  put(id: string, text: string): void;
  /** Whether there was one. */
  delete(id: string): boolean;
}

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

export interface Gateway {
  /** Resolves at the first event; what fails before that is thrown, so that it can still become a status. */
  run(turn: Turn, context: RunContext): Promise<Reply>;
  /** What the owner of a request has kept here for later ones. */
  shelf(who: Pick<RunContext, "caller" | "account">): Shelf;
  /** As Cursor lists them now if `isFresh`, else as far as they are known here. */
  models(signal: AbortSignal, wish?: { isFresh?: boolean; account?: Account | undefined }): Promise<readonly Model[]>;
  /** The model that a name means in a request. */
  model(name: string, signal: AbortSignal, who?: Pick<RunContext, "account">): Promise<Model>;
  /** The tools that the gateway runs itself for whoever asks, and the servers behind them, which are started. */
  tools(who?: Pick<RunContext, "account">): ReturnType<McpBridge["list"]>;
  /** How often replies went on from where they were, and why the others did not. */
  readonly continuity: Readonly<Partial<Record<Continuity, number>>>;
  /** Runs that wait for results of clients. */
  readonly parkedRuns: number;
  /** Runs that were let go before their time because too many were waiting. */
  readonly runsLetGo: number;
  /** Ends every open exchange with a clean error. */
  close(): Promise<void>;
}

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

export function createGateway(deps: GatewayDeps): Gateway {
  const store = withOverflow(deps.store, { now: () => deps.clock.now() });
  const lot = new ParkingLot(deps.clock, deps.settings);
  const open = new OpenExchanges();
  const formats = new AnswerFormats();
  const toolLists = new ToolLists();
  const breaker = new FailureBreaker(deps.clock.now);
  const continuity: Partial<Record<Continuity, number>> = {};
  const onReply = ({ continuity: each, model }: Reply) => {
    continuity[each] = (continuity[each] ?? 0) + 1;
    deps.books?.reply(model, { isWarm: each === "warm" });
  };
  return {
    async run(asked, context) {
      refuseBadLimits(asked);
      const turn = { ...asked, tools: toolLists.same(asked.tools) };
      const callable = callableTools(turn.tools, turn.toolChoice);
      const check = turn.format && (await formats.checkOf(turn.format));
      const { account, roads } = context.account ?? deps;
      const owner = ownerOf(account, context.caller);
      const waiting = backendWaiting(turn, owner, lot);
      const names = waiting === undefined ? roads.namesFor(turn.model) : [waiting];
      const permit = waiting === undefined ? breaker.admit(turn, owner) : freePermit;
      const attemptOn = (name: BackendName) => {
        const road = roads.open(name);
        const record = roads.recordOf(name);
        return new RoadRun({
          ...deps,
          store,
          road,
          record,
          turn,
          check,
          callable,
          context,
          owner,
          permit,
          lot,
          open,
          toolLists,
          onReply,
        });
      };
      try {
        const reply = await firstToAnswer(names, attemptOn, deps.onProblem);
        permit.answering();
        return reply;
      } catch (thrown) {
        throw permit.failed(GatewayError.from(thrown));
      }
    },
    shelf({ caller, account }) {
      const owner = () => ownerOf((account ?? deps).account, caller); // few requests use their shelf
      const keyOf = (id: string) => `kept ${id}`;
      return {
        get: (id) => store.getNote(owner(), keyOf(id)),
        put: (id, text) => store.putNote(owner(), keyOf(id), text),
        delete(id) {
          const isThere = store.getNote(owner(), keyOf(id)) !== undefined;
          store.deleteNote(owner(), keyOf(id));
          return isThere;
        },
      };
    },
    models(signal, { isFresh = false, account } = {}) {
      const { catalogue } = (account ?? deps).roads.usual;
      return isFresh ? catalogue.refresh(signal) : catalogue.list(signal);
    },
    model(name, signal, { account } = {}) {
      const { roads } = account ?? deps;
      const [first] = roads.namesFor(name);
      const { catalogue } = first === undefined ? roads.usual : roads.open(first);
      return catalogue.find(name, signal);
    },
    async tools({ account } = {}) {
      const isOwner = account === undefined;
      return (isOwner ? await deps.bridge?.list() : undefined) ?? { tools: [], servers: [] };
    },
    continuity,
    get parkedRuns() {
      return lot.size;
    },
    get runsLetGo() {
      return lot.letGo;
    },
    async close() {
      lot.close();
      open.close();
      await deps.roads.close();
    },
  };
}
