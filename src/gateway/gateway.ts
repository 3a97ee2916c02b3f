import type { BackendName, Model } from "../backends/backend.js";
import { mayFallBack } from "../backends/choose/index.js";
import { makeKeysInSlices } from "../sessions/fingerprint.js";
import { ownerOf } from "../sessions/known.js";
import type { ParkingLot } from "../sessions/parking.js";
import type { McpBridge } from "../tools/mcp/index.js";
import { unlessAborted } from "../turn/any-signal.js";
import { GatewayError } from "../turn/error.js";
import { planResetText } from "../turn/plan-reset.js";
import { isLong } from "../turn/slices.js";
import type { Turn } from "../turn/turn.js";
import { attempt, leftEarly } from "./attempt.js";
import type { Continuity } from "./continuity.js";
import type { OpenRuns } from "./open-runs.js";
import type { Reply } from "./reply.js";
import {
  acceptTurn,
  admit,
  type ExaminedTurn,
  permitTurn,
  type Request,
  type RunContext,
  type Who,
} from "./request.js";
import { type Account, type GatewayDeps, makeServices, type Services } from "./services.js";

export interface TextStore {
  get(id: string): string | undefined;
  put(id: string, text: string): void;
  delete(id: string): boolean;
}

export interface Gateway {
  /** Resolves at the first event. @throws GatewayError for whatever fails before it, so that it can become an HTTP status */
  run(turn: Turn, context: RunContext): Promise<Reply>;
  textStore(who: Who): TextStore;
  /** Cursor's current list if `isFresh`, else the list that is known here. */
  models(
    signal: AbortSignal,
    options?: { isFresh?: boolean; account?: Account | undefined },
  ): Promise<readonly Model[]>;
  model(name: string, signal: AbortSignal, who?: Pick<RunContext, "account">): Promise<Model>;
  /** The tools that the gateway runs itself for this caller, and their servers. Starts the servers. */
  tools(who?: Pick<RunContext, "account">): ReturnType<McpBridge["list"]>;
  /** How many replies resumed a conversation, and why the others did not. */
  readonly continuity: Readonly<Partial<Record<Continuity, number>>>;
  readonly openRuns: Pick<OpenRuns, "open" | "peak" | "waiting">;
  readonly parkedRuns: number;
  waitingRuns: ParkingLot["waiting"];
  readonly runsLetGo: number;
  /** Ends every run, or those of one conversation, because the owner wants it. Returns how many runs there were. */
  stop(thread?: string): { readonly replies: number; readonly waiting: number };
  close(): Promise<void>;
}

export function createGateway(deps: GatewayDeps): Gateway {
  const services = makeServices(deps);
  const { ownAccount, lot, openRuns } = services;
  return {
    run: (turn, context) => run(turn, context, services),
    textStore: (who) => textStoreOf(who, services),
    models(signal, { isFresh = false, account } = {}) {
      const { catalogue } = (account ?? ownAccount).backends.usual;
      return isFresh ? catalogue.refresh(signal) : catalogue.list(signal);
    },
    model(name, signal, { account } = {}) {
      const { backends } = account ?? ownAccount;
      const [first] = backends.namesFor(name);
      const { catalogue } = first === undefined ? backends.usual : backends.open(first);
      return catalogue.find(name, signal);
    },
    async tools({ account } = {}) {
      const isOwner = account === undefined;
      return (isOwner ? await services.bridge?.list() : undefined) ?? { tools: [], servers: [] };
    },
    continuity: services.continuity,
    openRuns,
    get parkedRuns() {
      return lot.size;
    },
    waitingRuns: () => lot.waiting(),
    get runsLetGo() {
      return lot.letGo;
    },
    stop: (thread) => ({ replies: services.openExchanges.stop(thread), waiting: lot.stop(thread) }),
    async close() {
      lot.close();
      openRuns.close();
      services.openExchanges.close();
      await ownAccount.backends.close();
    },
  };
}

interface FirstFailure {
  readonly name: BackendName;
  /** Undefined when it failed before the model was found. */
  readonly model: string | undefined;
  readonly error: GatewayError;
}

/** Asks the backends in turn until one replies, or throws the failure of the first. A short turn reaches Cursor at once. */
async function run(asked: Turn, context: RunContext, services: Services): Promise<Reply> {
  const accepted = acceptTurn(asked, services);
  const { format, messages } = accepted.turn;
  const check = format && (await services.formats.checkOf(format));
  if (isLong(messages)) await makeKeysInSlices(messages);
  const opening = services.guard?.opening;
  if (opening !== undefined) await opening;
  const { admitted, waitMs } = admit(accepted, check, context, services);
  if (waitMs > 0) await services.clock.sleep(waitMs, context.signal);
  const retry = retryOf(admitted, services);
  if (retry !== undefined) await unlessAborted(retry, context.signal, leftEarly);
  const request = permitTurn(admitted, context, services);
  const { record } = context;
  let first: FirstFailure | undefined;
  for (const name of namesFor(request)) {
    const progress = { hasBegun: false };
    record.backend = name; // known even if there is no reply
    try {
      const reply = await attempt(services, request, name, progress);
      request.permit.answering();
      return first === undefined ? reply : { ...reply, warnings: [...reply.warnings, fallbackWarning(first, name)] };
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      const isFirst = first === undefined;
      if (!isFirst) services.onProblem(error);
      first ??= { name, model: record.model, error };
      // A fallback that fails, for whatever reason, leaves the request to the next one.
      if (progress.hasBegun || (isFirst && !mayFallBack(error.code))) break;
    }
  }
  if (first !== undefined) {
    record.backend = first.name;
    record.model = first.model;
  }
  const error = first?.error ?? new GatewayError("server_error", "There is no backend for this request.");
  throw request.permit.failed(error.code === "insufficient_quota" ? await withReset(error, context, services) : error);
}

/** Cursor seldom says when a plan that is used up resets. For the gateway's own account that can be asked. */
async function withReset(
  error: GatewayError,
  { account }: RunContext,
  { planResets }: Services,
): Promise<GatewayError> {
  if (error.retryAfterMs !== undefined || account !== undefined) return error;
  const resets = await planResets?.();
  return resets === undefined ? error : error.with({}, `${error.message} ${planResetText(resets)}`);
}

/** An equal turn that has just failed and is tried again: what becomes of it will hold for this one. */
function retryOf({ turn, owner, waiting }: ExaminedTurn, { breaker }: Services): Promise<void> | undefined {
  return waiting === undefined ? breaker.retryOf(turn, owner) : undefined;
}

function namesFor({ waiting, backends, turn }: Request): readonly BackendName[] {
  return waiting === undefined ? backends.namesFor(turn.model) : [waiting.backend];
}

function fallbackWarning({ name, error }: FirstFailure, other: BackendName): string {
  return `The ${name} backend failed (${error.code}), so the ${other} backend answers in its place.`;
}

function textStoreOf({ caller, account }: Who, services: Services): TextStore {
  const { store, ownAccount } = services;
  const owner = () => ownerOf((account ?? ownAccount).account, caller); // computed late: few requests keep texts
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
}
