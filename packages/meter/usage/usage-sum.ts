import { add, Counters, type RollUp } from "../ledger/entry.js";
import { type CostSum, knownDollars, type Prices } from "../prices/prices.js";

/** A sum of roll-ups. Turns without usage from Cursor are `estimatedTurns`: their tokens are our own estimate. */
export interface UsageSum extends Readonly<Omit<Counters, "unadmitted">> {
  readonly cost: CostSum;
}

/** Adds up roll-ups. Costs are computed per roll-up, by its model, so that models without a price can be listed. */
export class UsageAdder {
  readonly #prices: Prices;
  readonly #counters = new Counters();
  #dollars = 0;
  readonly #unpriced = new Set<string>();

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  add(rollUp: RollUp): void {
    add(this.#counters, rollUp);
    const cost = this.#prices.costOf(rollUp.model, rollUp.tokens);
    if (cost === undefined) this.#unpriced.add(rollUp.model);
    else this.#dollars += cost;
  }

  get sum(): UsageSum {
    const cost = { dollars: this.#dollars, unpricedModels: [...this.#unpriced].sort() };
    const { unadmitted: _, tokens, ...counts } = this.#counters;
    return { ...counts, tokens: { ...tokens }, cost };
  }
}

/** The share of the input that came from Cursor's cache, from 0 to 1; undefined if there was no input. */
export function cacheShare({ tokens: { input, cacheRead } }: UsageSum): number | undefined {
  return input === 0 ? undefined : Math.min(1, cacheRead / input);
}

export function runsPerMessage({ runs, messages }: UsageSum): number | undefined {
  return messages === 0 ? undefined : runs / messages;
}

/** The share of the turns that continued their conversation, from 0 to 1; undefined if there were none. */
export function warmShare({ warm, cold }: UsageSum): number | undefined {
  return warm + cold === 0 ? undefined : warm / (warm + cold);
}

export function savedTokens({ tokens }: UsageSum): number {
  return tokens.cacheRead;
}

/** Sums as documented for `GET /v1/usage`. */
export function writeSum(sum: UsageSum) {
  const { tokens, cost } = sum;
  return {
    requests: sum.requests,
    failures: sum.failures,
    messages: sum.messages,
    turns: sum.turns,
    estimated_turns: sum.estimatedTurns,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_tokens: tokens.cacheRead,
    cache_write_tokens: tokens.cacheWrite,
    reasoning_tokens: tokens.reasoning,
    cache_share: cacheShare(sum) ?? null,
    saved_tokens: savedTokens(sum),
    warm_turns: sum.warm,
    cold_turns: sum.cold,
    warm_share: warmShare(sum) ?? null,
    runs: sum.runs,
    runs_per_message: runsPerMessage(sum) ?? null,
    side_runs: { title: sum.title, suggestion: sum.suggestion, compaction: sum.compaction, check: sum.check },
    retries: sum.retries,
    sent_bytes: sum.sentBytes,
    received_bytes: sum.receivedBytes,
    cost: { dollars: knownDollars(cost), unpriced_models: cost.unpricedModels },
  };
}
