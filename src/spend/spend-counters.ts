import type { RequestRecord } from "../events/channels.js";
import { type Counters, type LedgerReader, midnight, Spans, type Tokens } from "../ledger/index.js";
import { BoundedMap } from "../turn/bounded-map.js";
import type { Ceiling, Unit } from "./limits.js";

const HOUR_MS = 60 * 60_000;
/** Beyond this number the oldest conversation is forgotten here, and read from the ledger when it comes again. */
const MAX_CONVERSATIONS = 5_000;
/** Beyond this number the account that came first begins anew. */
const MAX_ACCOUNTS = 10_000;

/** The price of these tokens in dollars; undefined where it is not known. */
export type CostOf = (model: string, tokens: Tokens) => number | undefined;

/** What was taken in one window of time, or by one conversation. */
export class Spent implements Record<Unit, number> {
  requests = 0;
  tokens = 0;
  /** Of the turns whose price is known. */
  dollars = 0;
  /** The tokens of the others. */
  unpricedTokens = 0;
  /** When this starts again from nothing; undefined = never. */
  readonly endsMs: number | undefined;
  #reported: Set<string> | undefined;

  constructor(endsMs?: number) {
    this.endsMs = endsMs;
  }

  /** Adds what was taken of one model. Without a price, what the tokens cost is unknown, which is not nothing. */
  add({ input, output }: Tokens, dollars: number | undefined, requests = 0): this {
    const tokens = input + output;
    this.requests += requests;
    // An estimate that was too high is taken back, perhaps in the window after its own.
    this.tokens = Math.max(0, this.tokens + tokens);
    if (dollars === undefined) this.unpricedTokens = Math.max(0, this.unpricedTokens + tokens);
    else this.dollars = Math.max(0, this.dollars + dollars);
    return this;
  }

  /** Adds what the ledger has of one model. */
  addBooked({ requests, unadmitted, tokens }: Booked, dollars: number | undefined): this {
    return this.add(tokens, dollars, requests - unadmitted);
  }

  /** The ledger has what was counted here as well, once it is over. So this is no sum of the two. */
  raiseTo(other: Spent): void {
    for (const unit of ["requests", "tokens", "dollars", "unpricedTokens"] as const)
      this[unit] = Math.max(this[unit], other[unit]);
  }

  /** Whether this is the first report about a ceiling here. */
  reportOnce(ceiling: string): boolean {
    this.#reported ??= new Set();
    if (this.#reported.has(ceiling)) return false;
    this.#reported.add(ceiling);
    return true;
  }
}

type Booked = Pick<Counters, "requests" | "unadmitted" | "tokens">;

/** Spans of time that follow each other. */
export const windows = ["hour", "day"] as const;
export type Window = (typeof windows)[number];

/** The current hour and day of everybody, of one key or of one account. */
export class Windows {
  readonly #current = { hour: new Spent(0), day: new Spent(0) };

  in(window: Window, nowMs: number): Spent {
    const current = this.#current[window];
    // The newest window goes on when the clock is set back: otherwise everything could be spent once more.
    if (nowMs < (current.endsMs ?? 0)) return current;
    const next = new Spent(boundsOf(window, nowMs).endMs);
    this.#current[window] = next;
    return next;
  }
}

/** The bounds of a window in the machine's time zone. When clocks go back, the hour that comes twice is two. */
export function boundsOf(window: Window, nowMs: number): { readonly startMs: number; readonly endMs: number } {
  if (window === "day") return { startMs: midnight(nowMs, 0), endMs: midnight(nowMs, 1) };
  const startMs = new Spans().startOfHour(nowMs);
  return { startMs, endMs: startMs + HOUR_MS };
}

export type EarlierSpend = Pick<LedgerReader, "ready" | "rollUps" | "thread">;

export interface CounterDeps {
  /** What was booked before, if it is kept. Nothing is read before the first request. */
  readonly earlier: EarlierSpend | undefined;
  readonly costOf: CostOf;
  readonly onProblem: (problem: unknown) => void;
}

/** What is taken, by everybody, by each key, by each account that requests bring, and by each conversation. It begins with what the ledger has. */
export class SpendCounters {
  readonly #deps: CounterDeps;
  /** Of all that use the gateway's own account. */
  readonly #all = new Windows();
  readonly #keys = new Map<string, Windows>();
  readonly #accounts = new BoundedMap<string, Windows>(MAX_ACCOUNTS);
  readonly #conversations = new BoundedMap<string, Spent>(MAX_CONVERSATIONS);
  /** Those that were only met at their beginning. What they took before this process is not in their sums yet. */
  readonly #notLookedUp = new WeakSet<Spent>();
  /** What clients took before this process, until their keys come. */
  readonly #ofClients = new Map<string, Windows>();
  /** The ledger, once it is open. */
  #earlier: EarlierSpend | undefined;

  constructor(deps: CounterDeps) {
    this.#deps = deps;
  }

  /** Must come before anything is counted: what the ledger has then is all from before. It never fails. */
  async open(now: () => number): Promise<void> {
    const { earlier, costOf, onProblem } = this.#deps;
    try {
      await earlier?.ready();
      this.#earlier = earlier;
      const nowMs = now();
      for (const window of windows) {
        for (const rollUp of earlier?.rollUps(window, boundsOf(window, nowMs).startMs, nowMs + 1) ?? []) {
          const ofClient = this.#ofClients.get(rollUp.client) ?? new Windows();
          this.#ofClients.set(rollUp.client, ofClient);
          const dollars = costOf(rollUp.model, rollUp.tokens);
          for (const one of [this.#ofAccount(rollUp), ofClient]) one.in(window, nowMs).addBooked(rollUp, dollars);
        }
      }
    } catch (problem) {
      onProblem(problem); // a ledger that cannot be read costs nobody a reply
    }
  }

  /** Finds the conversation of a request. One that has just begun is not looked for in the ledger before it goes on. */
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

  /** What is taken under a ceiling; undefined where the conversation is not known. */
  under({ of, span }: Ceiling, record: RequestRecord, nowMs: number): Spent | undefined {
    if (span === "conversation") return this.#conversations.get(record.thread ?? "");
    return (of === "key" ? this.#ofKey(record) : this.#ofAccount(record)).in(span, nowMs);
  }

  /** Adds what was taken to all that it counts for. */
  add(record: RequestRecord, nowMs: number, tokens: Tokens, requests = 0): void {
    const dollars = this.#deps.costOf(record.model ?? record.askedModel, tokens);
    for (const window of windows) {
      this.#ofAccount(record).in(window, nowMs).add(tokens, dollars, requests);
      if (record.caller !== "") this.#ofKey(record).in(window, nowMs).add(tokens, dollars, requests);
    }
    // One that is no longer known here is read from the ledger when it comes again, with this turn in it.
    this.#conversations.get(record.thread ?? "")?.add(tokens, dollars, requests);
  }

  /** The windows of those who share an account: that of the gateway, or one that requests bring. */
  #ofAccount({ account }: Pick<RequestRecord, "account">): Windows {
    if (account === "") return this.#all;
    const found = this.#accounts.get(account) ?? new Windows();
    if (!this.#accounts.has(account)) this.#accounts.set(account, found);
    return found;
  }

  #ofKey({ caller, client }: RequestRecord): Windows {
    const known = this.#keys.get(caller);
    if (known !== undefined) return known;
    const found = this.#ofClients.get(client) ?? new Windows();
    this.#ofClients.delete(client);
    this.#keys.set(caller, found);
    return found;
  }

  #addEarlier(spent: Spent, thread: string, askedModel: string): void {
    try {
      const before = this.#earlier?.thread(thread);
      if (before === undefined) return;
      // The ledger does not say which models it asked. Most conversations stay with one.
      spent.raiseTo(new Spent().addBooked(before, this.#deps.costOf(askedModel, before.tokens)));
    } catch (problem) {
      this.#deps.onProblem(problem);
    }
  }
}
