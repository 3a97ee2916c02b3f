import { BoundedMap } from "@curlew/gateway/turn/bounded-map.js";
import type { RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { type Counters, type LedgerReader, midnight, Spans, type Tokens } from "../ledger/index.js";
import type { Ceiling, Unit } from "./limits.js";

const HOUR_MS = 60 * 60_000;
/** Beyond this number the oldest conversation is evicted, and read from the ledger when it is needed again. */
const MAX_CONVERSATIONS = 5_000;
/** Beyond this number the oldest account is evicted, and would start again from zero. */
const MAX_ACCOUNTS = 10_000;

/** The price of these tokens in dollars; undefined if unknown. */
export type CostOf = (model: string, tokens: Tokens) => number | undefined;

/** Usage in one window of time, or of one conversation. */
export class Spent implements Record<Unit, number> {
  requests = 0;
  tokens = 0;
  /** Cost of the turns with a known price. */
  dollars = 0;
  /** Tokens of the other turns. */
  unpricedTokens = 0;
  /** When the window ends; undefined = never. */
  readonly endsMs: number | undefined;
  #reported: Set<string> | undefined;

  constructor(endsMs?: number) {
    this.endsMs = endsMs;
  }

  /** Adds usage of one model. Without a price its cost is unknown, not zero. */
  add({ input, output }: Tokens, dollars: number | undefined, requests = 0): this {
    const tokens = input + output;
    this.requests += requests;
    // A correction of a high estimate is negative, and may fall into the next window.
    this.tokens = Math.max(0, this.tokens + tokens);
    if (dollars === undefined) this.unpricedTokens = Math.max(0, this.unpricedTokens + tokens);
    else this.dollars = Math.max(0, this.dollars + dollars);
    return this;
  }

  /** Adds usage of one model from the ledger. */
  addBooked({ requests, unadmitted, tokens }: Booked, dollars: number | undefined): this {
    return this.add(tokens, dollars, requests - unadmitted);
  }

  /** Takes the maximum, not the sum: the ledger also contains what was counted here, once it has ended. */
  raiseTo(other: Spent): void {
    for (const unit of ["requests", "tokens", "dollars", "unpricedTokens"] as const)
      this[unit] = Math.max(this[unit], other[unit]);
  }

  /** True only for the first report about a ceiling. */
  reportOnce(ceiling: string): boolean {
    this.#reported ??= new Set();
    if (this.#reported.has(ceiling)) return false;
    this.#reported.add(ceiling);
    return true;
  }
}

type Booked = Pick<Counters, "requests" | "unadmitted" | "tokens">;

/** Spans of time that reset. */
export const windows = ["hour", "day"] as const;
export type Window = (typeof windows)[number];

/** The current hour and day of the gateway, of a key or of an account. */
export class Windows {
  readonly #current = { hour: new Spent(0), day: new Spent(0) };

  in(window: Window, nowMs: number): Spent {
    const current = this.#current[window];
    // If the clock is set back, keep the newest window: otherwise its amount could be spent twice.
    if (nowMs < (current.endsMs ?? 0)) return current;
    const next = new Spent(boundsOf(window, nowMs).endMs);
    this.#current[window] = next;
    return next;
  }
}

/** The bounds of a window in local time. When clocks go back, the repeated hour counts as two windows. */
export function boundsOf(window: Window, nowMs: number): { readonly startMs: number; readonly endMs: number } {
  if (window === "day") return { startMs: midnight(nowMs, 0), endMs: midnight(nowMs, 1) };
  const startMs = new Spans().startOfHour(nowMs);
  return { startMs, endMs: startMs + HOUR_MS };
}

export type EarlierSpend = Pick<LedgerReader, "ready" | "rollUps" | "thread">;

export interface CounterDeps {
  /** The ledger, if it is kept. Not read before the first request. */
  readonly earlier: EarlierSpend | undefined;
  readonly costOf: CostOf;
  readonly onProblem: (problem: unknown) => void;
}

/** Usage of the gateway, and by key, by account that requests bring and by conversation. Initialized from the ledger. */
export class SpendCounters {
  readonly #deps: CounterDeps;
  /** All requests on the gateway's own account. */
  readonly #all = new Windows();
  readonly #keys = new Map<string, Windows>();
  readonly #accounts = new BoundedMap<string, Windows>(MAX_ACCOUNTS);
  readonly #conversations = new BoundedMap<string, Spent>(MAX_CONVERSATIONS);
  /** Conversations first met as new. Their earlier usage has not been read from the ledger. */
  readonly #notLookedUp = new WeakSet<Spent>();
  /** Usage before this process by the name of the key, moved to `#keys` when its key first appears. */
  readonly #ofClients = new Map<string, Windows>();
  /** The ledger, once it is open. */
  #earlier: EarlierSpend | undefined;

  constructor(deps: CounterDeps) {
    this.#deps = deps;
  }

  /** Must run before anything is counted, so that nothing is counted twice. Never fails. */
  async open(now: () => number): Promise<void> {
    const { earlier, costOf, onProblem } = this.#deps;
    try {
      await earlier?.ready();
      this.#earlier = earlier;
      const nowMs = now();
      for (const window of windows) {
        for (const rollUp of earlier?.rollUps(window, boundsOf(window, nowMs).startMs, nowMs + 1) ?? []) {
          const ofClient = this.#ofClients.get(rollUp.client) ?? new Windows();
          if (rollUp.isNamedKey) this.#ofClients.set(rollUp.client, ofClient);
          const dollars = costOf(rollUp.model, rollUp.tokens);
          for (const one of [this.#ofAccount(rollUp), ofClient]) one.in(window, nowMs).addBooked(rollUp, dollars);
        }
      }
    } catch (problem) {
      onProblem(problem); // an unreadable ledger must not fail requests
    }
  }

  /** Registers the conversation of a request. A new one is looked up in the ledger only when it continues. */
  meet({ thread, askedModel }: RequestRecord, isNew: boolean): void {
    if (thread === undefined) return;
    const known = this.#conversations.get(thread);
    const spent = known ?? new Spent();
    if (known === undefined) {
      this.#notLookedUp.add(spent);
      this.#conversations.set(thread, spent);
    }
    if (!isNew && this.#notLookedUp.delete(spent)) this.#addEarlier(spent, thread, askedModel);
  }

  /** Usage under a ceiling; undefined for an unknown conversation. */
  under({ of, span }: Ceiling, record: RequestRecord, nowMs: number): Spent | undefined {
    if (span === "conversation") return this.#conversations.get(record.thread ?? "");
    return (of === "key" ? this.#ofKey(record) : this.#ofAccount(record)).in(span, nowMs);
  }

  /** Adds usage to every sum that it belongs to. */
  add(record: RequestRecord, nowMs: number, tokens: Tokens, requests = 0): void {
    const dollars = this.#deps.costOf(record.model ?? record.askedModel, tokens);
    for (const window of windows) {
      this.#ofAccount(record).in(window, nowMs).add(tokens, dollars, requests);
      if (record.caller !== "") this.#ofKey(record).in(window, nowMs).add(tokens, dollars, requests);
    }
    // An evicted conversation is read from the ledger when it is needed again, including this turn.
    this.#conversations.get(record.thread ?? "")?.add(tokens, dollars, requests);
  }

  /** The windows of an account: the gateway's, or one that requests bring. */
  #ofAccount({ account }: Pick<RequestRecord, "account">): Windows {
    if (account === "") return this.#all;
    const found = this.#accounts.get(account) ?? new Windows();
    if (!this.#accounts.has(account)) this.#accounts.set(account, found);
    return found;
  }

  #ofKey({ caller, client, isNamedKey }: RequestRecord): Windows {
    const known = this.#keys.get(caller);
    if (known !== undefined) return known;
    const found = (isNamedKey ? this.#ofClients.get(client) : undefined) ?? new Windows();
    if (isNamedKey) this.#ofClients.delete(client);
    this.#keys.set(caller, found);
    return found;
  }

  #addEarlier(spent: Spent, thread: string, askedModel: string): void {
    try {
      const before = this.#earlier?.thread(thread);
      if (before === undefined) return;
      // The ledger does not record models per conversation; assume the current one for all.
      spent.raiseTo(new Spent().addBooked(before, this.#deps.costOf(askedModel, before.tokens)));
    } catch (problem) {
      this.#deps.onProblem(problem);
    }
  }
}
