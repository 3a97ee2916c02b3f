import { fitsWildcard } from "@curlew/gateway/turn/fits-wildcard.js";
import type { Tokens } from "../ledger/entry.js";
import listed from "./cursor-prices.json" with { type: "json" };

const MILLION = 1_000_000;

/** US dollars per million tokens. Where the cache has no price of its own, its tokens cost as much as other input. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export interface Prices {
  /** The price of a model by its name in the ledger; undefined if unknown. */
  priceOf(model: string): Price | undefined;
  /** US dollars; undefined for a model without a price. Zero tokens cost 0 with any model. */
  costOf(model: string, tokens: Omit<Tokens, "reasoning">): number | undefined;
}

/**
 * Parts of a model's name that do not change its price: the effort, and context windows without a surcharge. Anything else, such
 * as `fast` and `1m`, makes it another model, which has a price only if the table lists it.
 */
const neutralWords: ReadonlySet<string> = new Set(
  "none minimal low medium high xhigh thinking 200k 256k 272k 300k".split(" "),
);

// Our list has Cursor's list prices under exact names: `claude-opus-5*` would price Opus 5.5 as Opus 5. `auto` has the last flat
// price that Cursor published, which may be too low by now: without one, dollar limits would miss the model that most clients use.
/** @param own the owner's prices by name or pattern (`*` is any text); the first match takes precedence over our own list */
export function createPrices(own: Readonly<Record<string, Price>>): Prices {
  const patterns = Object.entries(own).map(([pattern, price]) => ({ pattern: pattern.toLowerCase(), price }));
  const byName = new Map<string, Price>(listed.rows.flatMap((row) => row.models.map((name) => [name, row])));
  const known = new Map<string, Price | undefined>();
  const priceOf = (model: string): Price | undefined => {
    if (known.has(model)) return known.get(model);
    const name = model.toLowerCase();
    const bare = withoutNeutralWords(name);
    const fit = patterns.find(({ pattern }) => fitsWildcard(name, pattern) || fitsWildcard(bare, pattern));
    const price = fit?.price ?? byName.get(bare);
    // Bounded, because clients choose the names.
    if (known.size < 1_000) known.set(model, price);
    return price;
  };
  return {
    priceOf,
    costOf(model, { input, output, cacheRead, cacheWrite }) {
      if (input === 0 && output === 0) return 0;
      const price = priceOf(model);
      if (price === undefined) return undefined;
      const fresh = Math.max(0, input - cacheRead - cacheWrite);
      return (
        (fresh * price.input +
          cacheRead * (price.cacheRead ?? price.input) +
          cacheWrite * (price.cacheWrite ?? price.input) +
          output * price.output) /
        MILLION
      );
    },
  };
}

/** `claude-opus-5-thinking-high`, `claude-opus-5[effort=high]` -> `claude-opus-5`. */
function withoutNeutralWords(name: string): string {
  const [base = "", inner = ""] = name.replace(/\]$/, "").split("[");
  const chosen = inner.split(",").flatMap((parameter) => {
    const [id = "", value = ""] = parameter.split("=");
    return value === "true" ? [id] : value === "false" || value === "" ? [] : [value];
  });
  return [...base.split("-"), ...chosen].filter((word) => !neutralWords.has(word)).join("-");
}

/** The cost of the priced part of a sum, and the models in it without a price. */
export interface CostSum {
  readonly dollars: number;
  readonly unpricedModels: readonly string[];
}

/** The cost in JSON: null if nothing has a price, as opposed to 0. */
export function knownDollars({ dollars, unpricedModels }: CostSum): number | null {
  return dollars === 0 && unpricedModels.length > 0 ? null : dollars;
}
