import { GatewayError, planResetText } from "../turn/error.js";
import type { Turn } from "../turn/turn.js";
import { entrantOf, gates } from "./admission.js";
import { attempt } from "./attempt.js";
import { type History, next } from "./next.js";
import type { OpenRuns } from "./open-runs.js";
import type { Reply } from "./reply.js";
import type { Request, RunContext, Who } from "./request.js";
import { type GatewayDeps, makeServices, type PlanForModel, type Services } from "./services.js";
import { ownerOf } from "./sessions/known.js";
import type { McpBridge } from "./tools/mcp/index.js";

export interface TextStore {
  get(id: string): string | undefined;
  /** A text that is kept beside another lives as long as the newest of the two. */
  put(id: string, text: string, beside?: string): void;
  delete(id: string): boolean;
}

export type Gateway = ReturnType<typeof createGateway>;

export function createGateway(deps: GatewayDeps) {
  const services = makeServices(deps);
  const { ownAccount, lot } = services;
  const openRuns: Pick<OpenRuns, "open" | "peak" | "waiting" | "close"> = services.openRuns;
  /** How many replies resumed a conversation, and why the others did not. */
  const continuity: Readonly<typeof services.continuity> = services.continuity;
  return {
    /** Resolves at the first event. @throws GatewayError for whatever fails before it, so that it can become an HTTP status */
    run: (turn: Turn, context: RunContext): Promise<Reply> => run(turn, context, services),
    textStore: (who: Who): TextStore => textStoreOf(who, services),
    /** Fetches Cursor's current list if `isFresh`; may answer from the cache otherwise. */
    models(
      signal: AbortSignal,
      { isFresh = false, account }: Pick<RunContext, "account"> & { readonly isFresh?: boolean } = {},
    ) {
      const { catalogue } = (account ?? ownAccount).backends.usual;
      return isFresh ? catalogue.refresh(signal) : catalogue.list(signal);
    },
    model(name: string, signal: AbortSignal, { account }: Pick<RunContext, "account"> = {}) {
      const { backends } = account ?? ownAccount;
      const [first] = backends.namesFor(name);
      const { catalogue } = first === undefined ? backends.usual : backends.open(first);
      return catalogue.find(name, signal);
    },
    /** The tools that the gateway runs itself for this caller, and their servers. Starts the servers. */
    async tools({ account }: Pick<RunContext, "account"> = {}): ReturnType<McpBridge["list"]> {
      const isOwner = account === undefined;
      return (isOwner ? await services.bridge?.list() : undefined) ?? { tools: [], servers: [] };
    },
    continuity,
    openRuns,
    get parkedRuns() {
      return lot.size;
    },
    waitingRuns: () => lot.waiting(),
    get runsLetGo() {
      return lot.letGo;
    },
    /** Ends every run, or those of one conversation, at the owner's request. Returns how many there were. */
    stop: (thread?: string) => ({ replies: services.openExchanges.stop(thread), waiting: lot.stop(thread) }),
    async close(): Promise<void> {
      lot.close();
      openRuns.close();
      services.openExchanges.close();
      await ownAccount.backends.close();
    },
  };
}

const NOT_OWN: PlanForModel = { problem: "It reads the plan of its own account only." };

/** Tries the backends in order. If none replies, the error of the first is thrown. A short turn reaches Cursor without an await. */
async function run(asked: Turn, context: RunContext, services: Services): Promise<Reply> {
  const request = entrantOf(asked, context, services);
  for (const gate of gates) {
    const verdict = gate(request, services);
    if (verdict !== "pass") await verdict;
  }
  const { record } = context;
  const { permit } = request;
  let step = next({ kind: "admitted" }, historyOf(request, services));
  while (step.kind === "backend") {
    record.backend = step.name; // set even if there is no reply
    const { first } = step.history;
    const tried = await attempt(step, request, services);
    if (!("error" in tried)) {
      permit.answering();
      if (first === undefined) return tried;
      const warning = `The ${first.name} backend failed (${first.error.code}), so the ${step.name} backend answers in its place.`;
      return { ...tried, warnings: [...tried.warnings, warning] };
    }
    if (first !== undefined) services.onProblem(tried.error);
    step = next(tried, step.history);
  }
  const { error, first } = step;
  record.backend = first?.name;
  record.model = first?.model;
  throw permit.failed(await explained(error, first?.model, context, services));
}

function historyOf({ turn, waiting, backends, permit }: Request, { settings }: Services): History {
  const names = waiting === undefined ? backends.namesFor(turn.model) : [waiting.run.backend];
  return { turn, backends: names, first: undefined, chances: [], maxRetries: permit.maxRetries ?? settings.retries };
}

/**
 * Cursor refuses a used-up pool, a rate limit and too long a conversation with the same bare code, and seldom says when a plan
 * resets. For the gateway's own account both can be looked up.
 */
async function explained(error: GatewayError, model = "", { account }: RunContext, { planFor }: Services) {
  const { isUnexplained, code, message, retryAfterMs } = error;
  if (!isUnexplained && (code !== "insufficient_quota" || retryAfterMs !== undefined)) return error;
  const { problem, resets, usedUp } = (account === undefined ? await planFor?.(model) : NOT_OWN) ?? {};
  if (isUnexplained && problem) {
    return error.with({}, `${message} Curlew could not check whether your plan is used up: ${problem}`);
  }
  if (isUnexplained && usedUp === undefined) return error;
  const resetText = resets === undefined ? "" : ` ${planResetText(resets)}`;
  if (!isUnexplained) return error.with({}, `${message}${resetText}`);
  const text = `Cursor refused the turn. ${usedUp} \`curlew usage\` shows what is left and when it resets.${resetText}`;
  return new GatewayError("insufficient_quota", text, { cause: error });
}

function textStoreOf({ caller, account }: Who, services: Services): TextStore {
  const { store, newIds, ownAccount } = services;
  const owner = () => ownerOf((account ?? ownAccount).account, caller); // computed late: few requests keep texts
  const keyOf = (id: string) => `kept ${id}`;
  return {
    get: (id) => store.get(owner(), keyOf(id))?.text,
    put(id, text, beside) {
      const lineage = beside === undefined ? undefined : store.lineageAt(owner(), keyOf(beside));
      store.put(owner(), lineage ?? newIds.lineage(), { names: [keyOf(id)], text });
    },
    delete: (id) => store.remove(owner(), keyOf(id)),
  };
}
