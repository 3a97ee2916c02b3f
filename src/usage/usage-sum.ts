import type { RollUp, Tokens } from "../ledger/index.js";
import { type CostSum, costOf, type Prices } from "../prices/index.js";

/** What some roll-ups of the ledger come to. */
export interface UsageSum {
  readonly requests: number;
  readonly failures: number;
  readonly turns: number;
  /** The turns without usage from Cursor; their tokens are our own estimate. */
  readonly estimatedTurns: number;
  /** Replies that continued their conversation, and replies that did not. */
  readonly warm: number;
  readonly cold: number;
  readonly runs: number;
  readonly retries: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly tokens: Tokens;
  readonly cost: CostSum;
}

/** Adds up roll-ups. The cost of each is that of its own model, and so the models without a price stay known. */
export class UsageAdder {
  readonly #prices: Prices;
  readonly #counts = {
    requests: 0,
    failures: 0,
    turns: 0,
    estimatedTurns: 0,
    warm: 0,
    cold: 0,
    runs: 0,
    retries: 0,
    sentBytes: 0,
    receivedBytes: 0,
  };
  readonly #tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  #dollars = 0;
  readonly #unpriced = new Set<string>();

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  add(rollUp: RollUp): void {
    for (const name of countNames) this.#counts[name] += rollUp[name];
    for (const kind of tokenKinds) this.#tokens[kind] += rollUp.tokens[kind];
    const cost = costOf(rollUp.tokens, rollUp.model, this.#prices);
    if (cost === undefined) this.#unpriced.add(rollUp.model);
    else this.#dollars += cost;
  }

  get sum(): UsageSum {
    const cost = { dollars: this.#dollars, unpricedModels: [...this.#unpriced].sort() };
    return { ...this.#counts, tokens: { ...this.#tokens }, cost };
  }
}

const countNames = [
  "requests",
  "failures",
  "turns",
  "estimatedTurns",
  "warm",
  "cold",
  "runs",
  "retries",
  "sentBytes",
  "receivedBytes",
] as const satisfies readonly (keyof RollUp & keyof UsageSum)[];

const tokenKinds = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "reasoning",
] as const satisfies readonly (keyof Tokens)[];

/** The share of the input that came from Cursor's cache, from 0 to 1; undefined if there was no input. */
export function cacheShare({ tokens: { input, cacheRead } }: UsageSum): number | undefined {
  return input === 0 ? undefined : Math.min(1, cacheRead / input);
}

/** The share of the replies that continued their conversation, from 0 to 1; undefined if there were none. */
export function warmShare({ warm, cold }: UsageSum): number | undefined {
  return warm + cold === 0 ? undefined : warm / (warm + cold);
}

/** Tokens that the model did not have to read again. Estimates have none, so this is Cursor's own count. */
export function savedTokens({ tokens }: UsageSum): number {
  return tokens.cacheRead;
}
