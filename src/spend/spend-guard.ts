import type { Clock } from "../clock.js";
import { listen, type RequestRecord } from "../events/index.js";
import type { Usage } from "../turn/event.js";
import { addUsage } from "../turn/reply-usage.js";
import { type Ceiling, ceilingsFor, keyCeilings, nameOf, raised } from "./ceilings.js";
import { ClientRates, TooMuchAtOnce } from "./client-rates.js";
import { ColdStreaks } from "./cold-streaks.js";
import { refusalOf, tell } from "./limit-notice.js";
import { refusalText, warningText } from "./limit-text.js";
import { defaultClientLimits, type Limits, type SpanCeilings } from "./limits.js";
import { PlanShare, type PlanUse, type PlanVerdict } from "./plan-share.js";
import { type CostOf, type EarlierSpend, SpendCounters } from "./spend-counters.js";
import type { Spent } from "./spent.js";

/** Beyond this number the oldest turn that waits for results is forgotten. The gateway lets fewer runs wait. */
const MAX_PAUSED = 10_000;

/**
 * Where a turn is in its conversation: at its beginning, further on, or at a run that waits for the results that it brings. A
 * misfit was let through with results, and then they did not fit the run, so that it begins another one.
 */
export type TurnPlace = "new" | "ongoing" | "results" | "misfit";

/** A request may go on: after a wait, and with something to say to the client. */
export interface Admission {
  readonly warnings: readonly string[];
  readonly waitMs: number;
}

interface SpendGuardDeps {
  /** The gateway whose events are listened to. */
  readonly gateway: string;
  readonly clock: Pick<Clock, "now" | "elapsed">;
  /** The owner's limits, which may change at any time. */
  readonly limits: { readonly current: Limits };
  /** The ceilings of a caller's key. */
  readonly limitsOf: (caller: string) => SpanCeilings;
  readonly costOf: CostOf;
  /** What was booked before, if it is kept. */
  readonly earlier: EarlierSpend | undefined;
  /** Undefined where Cursor must not be asked. */
  readonly readPlan: (() => Promise<PlanUse>) | undefined;
  /** Takes problems that did not stop a request. */
  readonly onProblem: (problem: unknown) => void;
}

const free: Admission = { warnings: [], waitMs: 0 };
const noKeyLimits: SpanCeilings = {};

/** Compares every turn with the limits before it goes to Cursor. What turns took comes from the events. */
export class SpendGuard {
  readonly #deps: SpendGuardDeps;
  readonly #counters: SpendCounters;
  readonly #rates = new ClientRates();
  readonly #streaks = new ColdStreaks();
  readonly #plan: PlanShare;
  readonly #stopListening: () => void;
  #opening: Promise<void> | undefined;
  #isOpen = false;
  /** What is booked already of turns that are not over, by their ids. */
  readonly #bookedSoFar = new Map<string, Usage>();
  readonly #keyCeilings = new WeakMap<SpanCeilings, readonly Ceiling[]>();
  #limits: Limits | undefined;
  #ceilings: readonly Ceiling[] = [];
  #reportedPlan = "";

  constructor(deps: SpendGuardDeps) {
    this.#deps = deps;
    this.#counters = new SpendCounters(deps);
    this.#plan = new PlanShare({
      readPlan: deps.readPlan,
      elapsed: () => deps.clock.elapsed(),
      onProblem: deps.onProblem,
    });
    this.#stopListening = listen(
      deps.gateway,
      {
        "curlew:request:finished": (record) => this.#end(record),
        "curlew:request:failed": (record) => this.#end(record),
        "curlew:request:paused": (record) => this.#pause(record),
        "curlew:run:abandoned": ({ request, usage }) => this.#book(request, usage),
      },
      deps.onProblem,
    );
  }

  /** Until this resolves, the first requests have to wait for the ledger; undefined from then on. */
  get opening(): Promise<void> | undefined {
    if (this.#isOpen) return undefined;
    this.#opening ??= this.#counters
      .open(() => this.#deps.clock.now())
      .then(() => {
        this.#isOpen = true;
      });
    return this.#opening;
  }

  /**
   * Lets a turn go on, or not. With an account of its own it uses nothing of the owner's plan. One that brings results to a run that
   * waits for them always may: what the turn has taken so far is booked already, and would be lost without them.
   * @throws GatewayError `quota_exceeded` for a ceiling of the owner's, `rate_limit_exceeded` for a client that asks for too much at once
   */
  admit(record: RequestRecord, place: TurnPlace, account?: string): Admission {
    const nowMs = this.#deps.clock.now();
    const conversation = this.#counters.meet(record, place === "new");
    if (place === "results") {
      this.#rates.enter(record, account, nowMs);
      this.#counters.countRequest(record, conversation, nowMs);
      return free;
    }
    if (place === "misfit") {
      this.#rates.takeBack(record);
      this.#counters.countRequest(record, conversation, nowMs, -1);
    }
    const limits = this.#currentLimits();
    const warnings: string[] = [];
    this.#checkCeilings(record, conversation, limits, warnings, nowMs);
    if (limits.plan !== undefined && limits.plan.models === undefined && account === undefined)
      this.#checkPlan(record, limits, [], warnings, nowMs);
    this.#checkRates(record, account, limits, nowMs);
    this.#counters.countRequest(record, conversation, nowMs);
    if (place === "misfit") return { warnings, waitMs: 0 }; // what it is to claim may be gone after a wait
    const slow = this.#streaks.slowdownOf(record.thread, nowMs);
    if (slow === undefined) return warnings.length === 0 ? free : { warnings, waitMs: 0 };
    tell(record, "slowed", "cold-turns", slow.warning);
    return { warnings: [...warnings, slow.warning], waitMs: slow.waitMs };
  }

  /**
   * The same for the model that is meant, which is known later than the rest.
   * @throws GatewayError `quota_exceeded`
   */
  admitModel(
    record: RequestRecord,
    { id, shownAs }: { readonly id: string; readonly shownAs: string },
    account?: string,
  ): readonly string[] {
    const limits = this.#currentLimits();
    if (limits.plan?.models === undefined || account !== undefined) return free.warnings;
    const warnings: string[] = [];
    this.#checkPlan(record, limits, [record.askedModel, shownAs, id], warnings, this.#deps.clock.now());
    return warnings;
  }

  close(): void {
    this.#stopListening();
  }

  #currentLimits(): Limits {
    const { current } = this.#deps.limits;
    if (current !== this.#limits) {
      this.#limits = current;
      this.#ceilings = ceilingsFor(current);
    }
    return current;
  }

  #checkCeilings(
    record: RequestRecord,
    conversation: Spent | undefined,
    limits: Limits,
    warnings: string[],
    nowMs: number,
  ): void {
    const { all } = this.#counters;
    for (const ceiling of this.#ceilings) {
      const { span } = ceiling;
      const spent = span === "conversation" ? conversation : all[span].at(nowMs);
      if (spent !== undefined) this.#compare(ceiling, spent, record, limits, warnings, nowMs);
    }
    for (const ceiling of this.#ceilingsOfKey(record)) {
      const { span } = ceiling;
      const spent = span === "conversation" ? conversation : this.#counters.caller(record)[span].at(nowMs);
      if (spent !== undefined) this.#compare(ceiling, spent, record, limits, warnings, nowMs);
    }
  }

  #ceilingsOfKey({ caller }: RequestRecord): readonly Ceiling[] {
    const limits = caller === "" ? noKeyLimits : this.#deps.limitsOf(caller);
    const known = this.#keyCeilings.get(limits);
    if (known !== undefined) return known;
    const ceilings = keyCeilings(limits);
    this.#keyCeilings.set(limits, ceilings);
    return ceilings;
  }

  #compare(
    general: Ceiling,
    spent: Spent,
    record: RequestRecord,
    limits: Limits,
    warnings: string[],
    nowMs: number,
  ): void {
    if (spent[general.unit] < general.warnFrom) return;
    const { thread = "", client } = record;
    const own = general.span === "conversation" ? ownIn(limits.allowed, thread) : undefined;
    const ceiling = own === undefined ? general : raised(general, own);
    if (ceiling === undefined || spent[ceiling.unit] < ceiling.warnFrom) return;
    const reading = { ceiling, spent, thread, client };
    if (ceiling.of !== "default" && spent[ceiling.unit] >= ceiling.max) {
      throw refusalOf(record, nameOf(ceiling), refusalText(reading), leftOf(spent.endsMs, nowMs));
    }
    const warning = warningText(reading);
    warnings.push(warning);
    if (spent.reportOnce(`${nameOf(ceiling)} ${ceiling.max}`)) tell(record, "warned", nameOf(ceiling), warning);
  }

  #checkPlan(
    record: RequestRecord,
    { plan }: Limits,
    names: readonly string[],
    warnings: string[],
    nowMs: number,
  ): void {
    const verdict = plan && this.#plan.judge(plan, names);
    if (verdict === undefined) return;
    const { isReached, message, endsMs } = verdict;
    if (isReached) throw refusalOf(record, "plan.percent", message, leftOf(endsMs, nowMs));
    warnings.push(message);
    this.#reportPlanOnce(record, verdict);
  }

  #reportPlanOnce(record: RequestRecord, { id, message }: PlanVerdict): void {
    if (id === this.#reportedPlan) return;
    this.#reportedPlan = id;
    tell(record, "warned", "plan.percent", message);
  }

  #checkRates(record: RequestRecord, account: string | undefined, { client }: Limits, nowMs: number): void {
    const concurrent = client?.concurrent ?? defaultClientLimits.concurrent;
    const perMinute = client?.perMinute ?? defaultClientLimits.perMinute;
    try {
      this.#rates.admit(record, account, { concurrent, perMinute }, nowMs);
    } catch (thrown) {
      if (thrown instanceof TooMuchAtOnce) tell(record, "refused", thrown.limit, thrown.message);
      throw thrown;
    }
  }

  /** A turn may call tools for hours, so what each of its replies took is booked with the reply, as an estimate. */
  #pause(record: RequestRecord): void {
    const { turnId, usage } = record;
    if (usage === undefined) return;
    this.#take(record, usage);
    const before = this.#bookedSoFar.get(turnId);
    this.#bookedSoFar.delete(turnId); // keeps the newest last
    this.#bookedSoFar.set(turnId, before === undefined ? usage : addUsage(before, usage));
    forgetOldest(this.#bookedSoFar);
  }

  #end(record: RequestRecord): void {
    const nowMs = this.#deps.clock.now();
    this.#rates.leave(record);
    this.#streaks.note(record, nowMs);
    if (record.turnUsage !== undefined) this.#book(record, record.turnUsage);
  }

  #take(record: RequestRecord, usage: Usage): void {
    this.#counters.take(record, record.model ?? record.askedModel, usage, this.#deps.clock.now());
  }

  /** Books what a whole turn took, in place of what was booked while it went on. */
  #book(record: RequestRecord, usage: Usage): void {
    const booked = this.#bookedSoFar.get(record.turnId);
    this.#bookedSoFar.delete(record.turnId);
    this.#take(record, booked === undefined ? usage : less(usage, booked));
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    if (map.size <= MAX_PAUSED) return;
    map.delete(oldest);
  }
}

/** What is left of a usage; less than nothing where too much was booked. */
function less(usage: Usage, booked: Usage): Usage {
  return {
    ...usage,
    inputTokens: usage.inputTokens - booked.inputTokens,
    outputTokens: usage.outputTokens - booked.outputTokens,
    cacheReadTokens: usage.cacheReadTokens - booked.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens - booked.cacheWriteTokens,
    reasoningTokens: usage.reasoningTokens - booked.reasoningTokens,
  };
}

function leftOf(endsMs: number | undefined, nowMs: number): number | undefined {
  return endsMs === undefined ? undefined : endsMs - nowMs;
}

function ownIn(allowed: Limits["allowed"], thread: string) {
  return allowed !== undefined && Object.hasOwn(allowed, thread) ? allowed[thread] : undefined;
}
