import type { LedgerReader, RollUp, Tokens } from "../ledger/index.js";
import type { Usage } from "../turn/event.js";
import { Spent, sumOf, WindowSpent } from "./spent.js";
import { type Bounds, dayOf, hourOf } from "./windows.js";

/** Beyond this number the oldest conversation is forgotten here, and read from the ledger when it comes again. */
const MAX_CONVERSATIONS = 5_000;

/** The price of these tokens in dollars; undefined where it is not known. */
export type CostOf = (model: string, tokens: Tokens) => number | undefined;

/** What was booked before. */
export type EarlierSpend = Pick<LedgerReader, "ready" | "rollUps" | "thread">;

interface CounterDeps {
  /** Where it is kept, if it is. Nothing is read before the first request. */
  readonly earlier: EarlierSpend | undefined;
  readonly costOf: CostOf;
  readonly onProblem: (problem: unknown) => void;
}

/** Whose request it is. */
export interface Spender {
  readonly thread: string | undefined;
  readonly caller: string;
  readonly client: string;
  readonly askedModel: string;
}

/** The hour and the day of everybody, or of one key. */
class Spans {
  readonly hour = new WindowSpent(hourOf);
  readonly day = new WindowSpent(dayOf);

  take(nowMs: number, tokens: number, dollars: number): void {
    this.hour.at(nowMs).take(tokens, dollars);
    this.day.at(nowMs).take(tokens, dollars);
  }

  countRequest(nowMs: number, by: 1 | -1): void {
    this.hour.at(nowMs).countRequest(by);
    this.day.at(nowMs).countRequest(by);
  }
}

/** What is taken, by everybody, by each key and by each conversation. It begins with what the ledger has. */
export class SpendCounters {
  readonly #deps: CounterDeps;
  readonly all = new Spans();
  readonly #callers = new Map<string, Spans>();
  readonly #conversations = new Map<string, Spent>();
  /** Those that were only met at their beginning. What they took before this process is not in their sums yet. */
  readonly #notLookedUp = new WeakSet<Spent>();
  /** What clients took before this process, until their keys come. */
  readonly #ofClients = new Map<string, Spans>();
  /** The ledger, once it is open. */
  #earlier: EarlierSpend | undefined;

  constructor(deps: CounterDeps) {
    this.#deps = deps;
  }

  /** Must come before anything is counted: what the ledger has then is all from before. It never fails. */
  async open(now: () => number): Promise<void> {
    const { earlier, onProblem } = this.#deps;
    try {
      await earlier?.ready();
      this.#earlier = earlier;
      for (const span of ["hour", "day"] as const) this.#loadSpan(span, now());
    } catch (problem) {
      onProblem(problem); // a ledger that cannot be read costs nobody a reply
    }
  }

  /** Finds a conversation. One that has just begun is not looked for in the ledger before it goes on. */
  meet({ thread, askedModel }: Pick<Spender, "thread" | "askedModel">, isNew: boolean): Spent | undefined {
    if (thread === undefined) return undefined;
    const known = this.#conversations.get(thread);
    const spent = known ?? new Spent();
    if (known === undefined) {
      this.#notLookedUp.add(spent);
      this.#conversations.set(thread, spent);
      this.#forgetOldest();
    }
    if (!isNew && this.#notLookedUp.delete(spent)) this.#addEarlier(spent, thread, askedModel);
    return spent;
  }

  caller({ caller, client }: Pick<Spender, "caller" | "client">): Spans {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    const spans = this.#ofClients.get(client) ?? new Spans();
    this.#ofClients.delete(client);
    this.#callers.set(caller, spans);
    return spans;
  }

  /** Counts a request, or takes one back that was counted. */
  countRequest(spender: Spender, conversation: Spent | undefined, nowMs: number, by: 1 | -1 = 1): void {
    this.all.countRequest(nowMs, by);
    conversation?.countRequest(by);
    if (spender.caller !== "") this.caller(spender).countRequest(nowMs, by);
  }

  /** Books what a turn took. */
  take({ thread = "", caller }: Pick<Spender, "thread" | "caller">, model: string, usage: Usage, nowMs: number): void {
    const tokens = usage.inputTokens + usage.outputTokens;
    const dollars = this.#deps.costOf(model, tokensOf(usage)) ?? 0;
    this.all.take(nowMs, tokens, dollars);
    // One that is no longer known here is read from the ledger when it comes again, with this turn in it.
    this.#conversations.get(thread)?.take(tokens, dollars);
    this.#callers.get(caller)?.take(nowMs, tokens, dollars);
  }

  #loadSpan(span: "hour" | "day", nowMs: number): void {
    const { startMs }: Bounds = span === "hour" ? hourOf(nowMs) : dayOf(nowMs);
    for (const rollUp of this.#earlier?.rollUps(span, startMs, nowMs + 1) ?? []) {
      const ofClient = this.#ofClients.get(rollUp.client) ?? new Spans();
      this.#ofClients.set(rollUp.client, ofClient);
      this.#addRollUp(this.all[span].at(nowMs), rollUp);
      this.#addRollUp(ofClient[span].at(nowMs), rollUp);
    }
  }

  #addRollUp(spent: Spent, { requests, unadmitted, model, tokens }: RollUp): void {
    spent.requests += requests - unadmitted;
    spent.take(sumOf(tokens), this.#deps.costOf(model, tokens) ?? 0);
  }

  #forgetOldest(): void {
    for (const oldest of this.#conversations.keys()) {
      if (this.#conversations.size <= MAX_CONVERSATIONS) return;
      this.#conversations.delete(oldest);
    }
  }

  #addEarlier(spent: Spent, thread: string, askedModel: string): void {
    try {
      const before = this.#earlier?.thread(thread);
      if (before === undefined) return;
      // The ledger has the turns that were counted here as well, once they are over. So this is no sum of the two.
      spent.requests = Math.max(spent.requests, before.requests - before.unadmitted);
      spent.tokens = Math.max(spent.tokens, sumOf(before.tokens));
      // The ledger does not say which models it asked. Most conversations stay with one.
      spent.dollars = Math.max(spent.dollars, this.#deps.costOf(askedModel, before.tokens) ?? 0);
    } catch (problem) {
      this.#deps.onProblem(problem);
    }
  }
}

function tokensOf(usage: Usage): Tokens {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    reasoning: usage.reasoningTokens,
  };
}
