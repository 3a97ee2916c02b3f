import type { Admission, LimitGuard, TurnPlace } from "@curlew/gateway/core/index.js";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { BoundedMap } from "@curlew/gateway/turn/bounded-map.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Usage } from "@curlew/gateway/turn/event.js";
import {
  type LimitNotice,
  type Listeners,
  listen,
  publish,
  type RequestRecord,
} from "@curlew/gateway/turn/events/channels.js";
import { addTokens, Counters, type Tokens, tokensOf } from "../ledger/entry.js";
import { refusalText, unpricedText, waitText, warningText, withoutFigures } from "./limit-text.js";
import {
  type Ceiling,
  type ClientLimits,
  ceilingRows,
  defaultCeilings,
  defaultClientLimits,
  type Limits,
  nameOf,
  RESULTS_SHARE,
  raised,
  type SpanCeilings,
} from "./limits.js";
import { PlanShare, type PlanShareDeps } from "./plan-share.js";
import { ClientRates, ColdStreaks } from "./runaways.js";
import { type CounterDeps, SpendCounters } from "./spend-counters.js";

const HOUR_MS = 60 * 60_000;
/** Beyond this number the oldest paused turn is evicted. Not reached: the gateway parks fewer runs. */
const MAX_PAUSED = 10_000;

interface SpendGuardDeps extends CounterDeps, PlanShareDeps {
  /** Id of the gateway whose events are counted. */
  readonly gateway: string;
  readonly clock: Pick<Clock, "now" | "elapsed">;
  /** The owner's limits; may change at any time. */
  readonly limits: { readonly current: Limits };
  readonly limitsOf: (caller: string) => SpanCeilings | undefined;
}

/** One request being checked against the limits. */
interface Comparison {
  readonly record: RequestRecord;
  readonly isResults: boolean;
  readonly limits: Limits;
  readonly warnings: string[];
  readonly nowMs: number;
}

const { tokens: noTokens } = new Counters();
const oneToken: Tokens = { ...noTokens, input: 1 };
const free: Admission = { warnings: [], waitMs: 0 };
const noKeyLimits: SpanCeilings = {};

/** Checks every turn against the limits before it goes to Cursor. Usage is taken from the events. */
export class SpendGuard implements LimitGuard {
  readonly #deps: SpendGuardDeps;
  readonly #counters: SpendCounters;
  readonly #rates = new ClientRates();
  readonly #streaks = new ColdStreaks();
  readonly #plan: PlanShare;
  readonly #stopListening: () => void;
  #opening: Promise<void> | undefined;
  #isOpen = false;
  /** Usage already booked for unfinished turns, by turn id. */
  readonly #bookedSoFar = new BoundedMap<string, Record<keyof Tokens, number>>(MAX_PAUSED);
  readonly #keyCeilings = new WeakMap<SpanCeilings, readonly Ceiling[]>();
  #limits: Limits | undefined;
  #ceilings: readonly Ceiling[] = [];
  #rateLimits: ClientLimits = defaultClientLimits;
  #reportedPlan = "";

  constructor(deps: SpendGuardDeps) {
    this.#deps = deps;
    this.#counters = new SpendCounters(deps);
    this.#plan = new PlanShare(deps);
    const listeners: Listeners = {
      "curlew:request:finished": (record) => this.#end(record),
      "curlew:request:failed": (record) => this.#end(record),
      "curlew:request:paused": (record) => this.#takeSoFar(record, record.usage),
      "curlew:run:abandoned": ({ request, usage }) => this.#book(request, usage),
    };
    this.#stopListening = listen(deps.gateway, listeners, deps.onProblem);
  }

  get opening(): Promise<void> | undefined {
    if (this.#isOpen) return undefined;
    this.#opening ??= this.#counters
      .open(() => this.#deps.clock.now())
      .then(() => {
        this.#isOpen = true;
      });
    return this.#opening;
  }

  admit(record: RequestRecord, place: TurnPlace): Admission {
    const comparison = this.#comparisonOf(record, place);
    const { limits, warnings, nowMs, isResults } = comparison;
    this.#counters.meet(record, place === "new");
    this.#compareAll(comparison);
    if (limits.plan !== undefined && limits.plan.models === undefined && record.account === "")
      this.#checkPlan(comparison, []);
    const tooMuch = this.#rates.enter(record, isResults ? undefined : this.#rateLimits, nowMs);
    if (tooMuch !== undefined) {
      const { limit, message, retryAfterMs } = tooMuch;
      tell(record, "refused", limit, message);
      throw new GatewayError("rate_limit_exceeded", message, { retryAfterMs, isRetryable: true, isOwnRefusal: true });
    }
    if (!isResults) this.#counters.add(record, nowMs, noTokens, 1);
    // A delay might outlast the lease of a waiting run.
    const mayWait = place === "new" || place === "ongoing";
    const slow = mayWait ? this.#streaks.slowdownOf(record.thread, nowMs) : undefined;
    if (slow === undefined) return warnings.length === 0 ? free : { warnings, waitMs: 0 };
    tell(record, "slowed", "cold-turns", slow.warning);
    return { warnings: [...warnings, slow.warning], waitMs: slow.waitMs };
  }

  admitModel(
    record: RequestRecord,
    place: TurnPlace,
    { id, shownAs }: { readonly id: string; readonly shownAs: string },
  ): readonly string[] {
    const comparison = this.#comparisonOf(record, place);
    for (const ceiling of this.#ceilings) this.#warnOfUnpriced(ceiling, shownAs, comparison);
    for (const ceiling of this.#ceilingsOfKey(record)) this.#warnOfUnpriced(ceiling, shownAs, comparison);
    if (comparison.limits.plan?.models !== undefined && record.account === "")
      this.#checkPlan(comparison, [record.askedModel, shownAs, id]);
    return comparison.warnings;
  }

  admitRound(record: RequestRecord, usage: Usage): void {
    this.#takeSoFar(record, usage);
    this.#compareAll(this.#comparisonOf(record, "results"));
  }

  close(): void {
    this.#stopListening();
  }

  #currentLimits(): Limits {
    const { current } = this.#deps.limits;
    if (current !== this.#limits) {
      this.#limits = current;
      this.#ceilings = ceilingRows("owner", current, defaultCeilings);
      const { concurrent, perMinute } = defaultClientLimits;
      const { client } = current;
      this.#rateLimits = { concurrent: client?.concurrent ?? concurrent, perMinute: client?.perMinute ?? perMinute };
    }
    return current;
  }

  #comparisonOf(record: RequestRecord, place: TurnPlace): Comparison {
    const isResults = place === "results";
    return { record, isResults, limits: this.#currentLimits(), warnings: [], nowMs: this.#deps.clock.now() };
  }

  #ceilingsOfKey({ caller }: RequestRecord): readonly Ceiling[] {
    const limits = (caller === "" ? undefined : this.#deps.limitsOf(caller)) ?? noKeyLimits;
    const known = this.#keyCeilings.get(limits);
    if (known !== undefined) return known;
    const ceilings = ceilingRows("key", limits);
    this.#keyCeilings.set(limits, ceilings);
    return ceilings;
  }

  /** Holders of named keys must not see figures of the whole gateway or the plan. */
  #isNamed({ caller }: RequestRecord): boolean {
    return caller !== "" && this.#deps.limitsOf(caller) !== undefined;
  }

  #compareAll(comparison: Comparison): void {
    for (const ceiling of this.#ceilings) this.#compare(ceiling, comparison);
    for (const ceiling of this.#ceilingsOfKey(comparison.record)) this.#compare(ceiling, comparison);
  }

  #compare(general: Ceiling, { record, isResults, limits, warnings, nowMs }: Comparison): void {
    const { unit } = general;
    if (isResults && unit === "requests") return;
    const spent = this.#counters.under(general, record, nowMs);
    if (spent === undefined || spent[unit] < general.warnFrom) return;
    const own = general.span === "conversation" ? ownIn(limits.allowed, record.thread ?? "") : undefined;
    const ceiling = own === undefined ? general : raised(general, own);
    if (ceiling === undefined || spent[unit] < ceiling.warnFrom) return;
    const reading = { ceiling, spent, record };
    const isOver = spent[unit] >= ceiling.max;
    const isRefused = isResults ? spent[unit] > ceiling.max * RESULTS_SHARE : isOver;
    const isOwn = ceiling.of === "key" || ceiling.span === "conversation" || !this.#isNamed(record);
    if (isRefused && ceiling.of !== "default") {
      const told = isOwn ? undefined : withoutFigures(nameOf(ceiling), true, record);
      const endsInMs = (spent.endsMs ?? Number.POSITIVE_INFINITY) - nowMs;
      throw refusalOf(record, nameOf(ceiling), refusalText(reading), endsInMs, told);
    }
    const warning = warningText(reading);
    if (isOwn) warnings.push(warning);
    else if (ceiling.of !== "default") warnings.push(withoutFigures(nameOf(ceiling), isOver, record));
    if (spent.reportOnce(`${nameOf(ceiling)} ${ceiling.max} ${isOver}`))
      tell(record, "warned", nameOf(ceiling), warning);
  }

  /** Warns that a limit in dollars cannot count a model without a price. */
  #warnOfUnpriced(ceiling: Ceiling, model: string, { record, warnings, nowMs }: Comparison): void {
    if (ceiling.unit !== "dollars") return;
    const spent = this.#counters.under(ceiling, record, nowMs);
    const hasPrice = this.#deps.costOf(model, oneToken) !== undefined;
    if (spent === undefined || (hasPrice && spent.unpricedTokens === 0)) return;
    const warning = unpricedText({ ceiling, spent, record }, hasPrice ? undefined : model);
    warnings.push(warning);
    if (spent.reportOnce(`unpriced ${nameOf(ceiling)}`)) tell(record, "warned", nameOf(ceiling), warning);
  }

  #checkPlan({ record, isResults, limits, warnings, nowMs }: Comparison, names: readonly string[]): void {
    const verdict = limits.plan && this.#plan.judge(limits.plan, names, isResults, waitText(record.leaseEndsMs));
    if (verdict === undefined) return;
    const { isReached, message, hasFigures, endsMs, id } = verdict;
    const told = hasFigures && this.#isNamed(record) ? withoutFigures("plan.percent", isReached, record) : undefined;
    if (isReached) throw refusalOf(record, "plan.percent", message, (endsMs ?? Number.POSITIVE_INFINITY) - nowMs, told);
    warnings.push(told ?? message);
    if (id === this.#reportedPlan) return;
    this.#reportedPlan = id;
    tell(record, "warned", "plan.percent", message);
  }

  /** A turn may call tools for hours, so the usage of each round is booked at once, as an estimate. */
  #takeSoFar(record: RequestRecord, usage: Usage | undefined): void {
    if (usage === undefined) return;
    const tokens = tokensOf(usage);
    this.#counters.add(record, this.#deps.clock.now(), tokens);
    const before = this.#bookedSoFar.get(record.turnId);
    if (before !== undefined) addTokens(tokens, before);
    this.#bookedSoFar.set(record.turnId, tokens);
  }

  #end(record: RequestRecord): void {
    const nowMs = this.#deps.clock.now();
    this.#rates.leave(record);
    this.#streaks.note(record, nowMs);
    if (record.turnUsage !== undefined) this.#book(record, record.turnUsage);
  }

  /** Books the usage of a whole turn, replacing what was booked round by round. */
  #book(record: RequestRecord, usage: Usage): void {
    const booked = this.#bookedSoFar.get(record.turnId);
    this.#bookedSoFar.delete(record.turnId);
    const tokens = tokensOf(usage);
    // Negative if the estimates were too high.
    if (booked !== undefined) addTokens(tokens, booked, -1);
    this.#counters.add(record, this.#deps.clock.now(), tokens);
  }
}

/** Publishes that a limit affected a request. */
function tell(record: RequestRecord, action: LimitNotice["action"], limit: string, message: string): void {
  const { gateway, requestId } = record;
  publish("curlew:limit:reached", { gateway, requestId, action, limit, message });
}

/** The error for a request refused by a limit. The published message may contain figures that the client does not get. */
function refusalOf(record: RequestRecord, limit: string, message: string, endsInMs: number, told = message) {
  tell(record, "refused", limit, message);
  // Without retry-after beyond an hour: a client that silently waits longer only holds up its user.
  const wait = endsInMs <= HOUR_MS && { retryAfterMs: Math.max(endsInMs, 0) };
  return new GatewayError("quota_exceeded", told, { isOwnRefusal: true, ...wait });
}

function ownIn(allowed: Limits["allowed"], thread: string) {
  return allowed !== undefined && Object.hasOwn(allowed, thread) ? allowed[thread] : undefined;
}
