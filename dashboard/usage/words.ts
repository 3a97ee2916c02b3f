import type { Sums } from "../../src/page/contract.js";
import { dollars, some } from "../parts/format.js";

type Cost = Sums["cost"];

/** What stands for a model or a client without a name. */
export const UNKNOWN = "unknown";

/** $6.41, at least $6.41, no price */
export function costText({ dollars: amount, unpriced_models }: Cost): string {
  if (amount === null) return "no price";
  return unpriced_models.length === 0 ? dollars(amount) : `at least ${dollars(amount)}`;
}

/** What a cost is without, in words: "without auto, which has no list price". Undefined if it is complete. */
export function missingPrices({ dollars: amount, unpriced_models }: Cost, mostNames: number): string | undefined {
  const count = unpriced_models.length;
  if (count === 0) return undefined;
  if (amount === null) return `${count === 1 ? "the model has" : "the models have"} no list price`;
  const names = unpriced_models.map((name) => name || UNKNOWN);
  const shown = count <= mostNames ? names : [...names.slice(0, mostNames - 1), some(count - mostNames + 1, "other")];
  return `without ${listed(shown)}, which ${count === 1 ? "has" : "have"} no list price`;
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
