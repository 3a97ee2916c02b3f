import type { Prices } from "./price-table.js";

/** Tokens by kind. The input includes what was read from and written to the cache. */
interface PricedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What the priced part of something costs, and the models in it without a price. */
export interface CostSum {
  readonly dollars: number;
  readonly unpricedModels: readonly string[];
}

const MILLION = 1_000_000;

/** US dollars; undefined where the model has no price. No tokens cost nothing, whatever the model. */
export function costOf(tokens: PricedTokens, model: string, prices: Prices): number | undefined {
  const { input, output, cacheRead, cacheWrite } = tokens;
  if (input === 0 && output === 0) return 0;
  const price = prices.priceOf(model);
  if (price === undefined) return undefined;
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  return (
    (fresh * price.input +
      cacheRead * (price.cacheRead ?? price.input) +
      cacheWrite * (price.cacheWrite ?? price.input) +
      output * price.output) /
    MILLION
  );
}

/** The sum for machines: null where nothing has a price, which is not the same as nothing to pay. */
export function knownDollars({ dollars, unpricedModels }: CostSum): number | null {
  return dollars === 0 && unpricedModels.length > 0 ? null : dollars;
}

/** Cents, and parts of them while the sum is small. */
export function dollarText(dollars: number): string {
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 4 : 2)}`;
}
