import type { Prices } from "../../prices/index.js";
import { type SetupModel, USUAL_CONTEXT_TOKENS } from "../../setup/client.js";

/** Titles and summaries read much more than they write. */
const INPUT_WEIGHT = 3;

/**
 * The model for titles, summaries and other small work: the one with the lowest list price that is not dearer than the chosen one and
 * reads as much, or 200,000 tokens. Of equal prices the first in Cursor's list wins. `auto` does its own small work, and all small
 * work for which no price is known.
 */
export function smallModelFor(chosen: SetupModel, models: readonly SetupModel[], prices: Prices): string {
  if (chosen.id === "auto") return "auto";
  const priceOf = ({ id }: SetupModel) => {
    const price = prices.priceOf(id);
    return price === undefined ? Number.POSITIVE_INFINITY : INPUT_WEIGHT * price.input + price.output;
  };
  const minTokens = Math.min(chosen.contextTokens, USUAL_CONTEXT_TOKENS);
  const [cheapest] = models
    .filter((model) => model.contextTokens >= minTokens && priceOf(model) <= priceOf(chosen))
    .filter((model) => priceOf(model) < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => priceOf(a) - priceOf(b));
  return cheapest?.id ?? "auto";
}
