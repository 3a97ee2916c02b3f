import type { Attachments } from "../attachments/index.js";
import type { Backend, BackendName, Exchange, Model } from "../backends/backend.js";
import type { Clock } from "../clock.js";
import { AnswerFormats } from "../formats/answer-formats.js";
import { refuseBadLimits } from "../limits/reply-limits.js";
import { isTitleRequest } from "../manners/title-request.js";
import type { Catalogue } from "../models/index.js";
import { type Continuity, locate, ownerOf } from "../sessions/locate.js";
import { ParkingLot } from "../sessions/parking.js";
import type { Store } from "../store/index.js";
import { callableTools } from "../tools/tool-choice.js";
import { joinText } from "../turn/blocks.js";
import { GatewayError } from "../turn/error.js";
import type { TurnEvents, Usage } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import { batches } from "./reply-events.js";
import { RequestRun } from "./request-run.js";

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
  /** How often replies went on from where they were, and why the others did not. */
  readonly continuity: Readonly<Partial<Record<Continuity, number>>>;
  /** Runs that wait for results of clients. */
  readonly parkedRuns: number;
  /** Ends every open exchange with a clean error. */
  close(): void;
}

export interface GatewaySettings {
  /** How long a run waits for results. */
  readonly leaseMs: number;
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

/** Whose subscription a turn is for, and the way there. */
export interface Account {
  readonly backend: Backend;
  /** Names it; nothing of one account is ever found under another. */
  readonly account: string;
  readonly catalogue: Catalogue;
}

/** The account is the gateway's own, for requests that bring none. */
export interface GatewayDeps extends Account {
  readonly store: Store;
  readonly attachments: Attachments;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  /** Where what went through is written down. */
  readonly books?: Books;
  /** What went wrong without stopping anything. */
  readonly onProblem?: (problem: unknown) => void;
}

export function createGateway(deps: GatewayDeps): Gateway {
  const lot = new ParkingLot(deps.clock, deps.settings.leaseMs);
  const open = new Set<Exchange>();
  const formats = new AnswerFormats();
  const continuity: Partial<Record<Continuity, number>> = {};
  return {
    async run(turn, context) {
      refuseBadLimits(turn);
      const callable = callableTools(turn.tools, turn.toolChoice);
      const check = turn.format && (await formats.checkOf(turn.format));
      const { backend, account, catalogue } = context.account ?? deps;
      const model = await catalogue.resolve(turn, context.signal);
      if (context.signal.aborted) throw new GatewayError("canceled", "The client left before the answer began.");
      const title = await cheapTitle(turn, { ...deps, backend }, context.signal);
      if (title !== undefined) {
        return {
          backend: backend.name,
          model: model.shownAs,
          continuity: "cold:new",
          warnings: turn.warnings,
          events: title,
        };
      }
      const { shownAs, warnings, ...requested } = model;
      const place = locate(turn, ownerOf(account, context.caller), deps.store, lot);
      const onTurnUsage = (usage: Usage) => deps.books?.turn(model.shownAs, usage);
      const run = new RequestRun({
        ...deps,
        ...context.account,
        turn,
        check,
        callable,
        context,
        place,
        model: requested,
        lot,
        open,
        onTurnUsage,
      });
      const events = await run.begin();
      continuity[run.continuity] = (continuity[run.continuity] ?? 0) + 1;
      deps.books?.reply(model.shownAs, { isWarm: run.continuity === "warm" });
      return {
        backend: backend.name,
        model: shownAs,
        continuity: run.continuity,
        warnings: [...turn.warnings, ...warnings, ...unhonoured(turn, backend), ...run.warnings],
        events,
      };
    },
    shelf({ caller, account }) {
      const { store } = deps;
      const owner = ownerOf((account ?? deps).account, caller);
      const keyOf = (id: string) => `kept ${id}`;
      return {
        get: (id) => store.getNote(owner, keyOf(id)),
        put: (id, text) => store.putNote(owner, keyOf(id), text),
        delete(id) {
          const isThere = store.getNote(owner, keyOf(id)) !== undefined;
          store.deleteNote(owner, keyOf(id));
          return isThere;
        },
      };
    },
    models(signal, { isFresh = false, account } = {}) {
      const { catalogue } = account ?? deps;
      return isFresh ? catalogue.refresh(signal) : catalogue.list(signal);
    },
    model(name, signal, { account } = {}) {
      return (account ?? deps).catalogue.find(name, signal);
    },
    continuity,
    get parkedRuns() {
      return lot.size;
    },
    close() {
      lot.close();
      for (const exchange of open) exchange.close("shutdown");
      deps.backend.close();
    },
  };
}

/** The name of a conversation, by the cheap call; undefined when a turn is wanted, or has to stand in for the call. */
async function cheapTitle(turn: Turn, deps: GatewayDeps, signal: AbortSignal): Promise<TurnEvents | undefined> {
  if (!deps.settings.cheapTitles || !isTitleRequest(turn)) return undefined;
  if (turn.format !== undefined || turn.stop !== undefined) return undefined; // the call knows of no such wishes
  const words = turn.messages.map((message) => (message.role === "user" ? joinText(message.content) : "")).join("\n\n");
  try {
    const delta = await deps.backend.nameConversation?.(words, signal);
    return delta
      ? batches([
          { type: "text", delta },
          { type: "finish", reason: "stop" },
        ])
      : undefined;
  } catch (problem) {
    deps.onProblem?.(problem);
    return undefined;
  }
}

function unhonoured({ tools, workspace }: Turn, { can, name }: Backend): string[] {
  const warnings: string[] = [];
  if (tools.length > 0 && !can.tools) {
    warnings.push(`The ${tools.length} tools of this request are not offered to the model.`);
  }
  if (workspace !== undefined && !can.workspaces) {
    warnings.push(`The ${name} backend works in no folder of yours; x-curlew-workspace is left out.`);
  }
  return warnings;
}
