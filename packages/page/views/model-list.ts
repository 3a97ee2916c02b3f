import type { Gateway } from "@curlew/gateway/core/index.js";
import { effortsOf, shownName } from "@curlew/gateway/models/index.js";
import type { Prices } from "@curlew/meter/prices/prices.js";
import type { PageModel } from "../access/contract.js";

type ListedModel = Awaited<ReturnType<Gateway["models"]>>[number];

interface Names {
  readonly prices: Prices;
  readonly aliases: Readonly<Record<string, string>>;
}

export function listModels(models: readonly ListedModel[], { prices, aliases }: Names): readonly PageModel[] {
  return models.map((model) => {
    const id = shownName(model);
    return {
      id,
      title: model.name,
      contextTokens: model.contextTokens ?? null,
      maxModeContextTokens: model.canMax === true ? (model.maxContextTokens ?? null) : null,
      thinks: model.canThink,
      seesImages: model.canSeeImages ?? false,
      efforts: effortsOf(model),
      aliases: otherNames(model, aliases),
      price: priceOf(id, prices),
    };
  });
}

function otherNames(model: ListedModel, aliases: Names["aliases"]): string[] {
  const id = shownName(model);
  const own = new Set([id, model.id, ...model.aliases].map((name) => name.toLowerCase()));
  const owners = Object.entries(aliases).flatMap(([alias, target]) => (own.has(bareName(target)) ? [alias] : []));
  return [...new Set([...model.aliases, ...owners])].filter((name) => name !== id);
}

/** Strips options: `gpt-5.5:high`, `gpt-5.5[effort=high]`. */
function bareName(name: string): string {
  return name.replace(/[:[].*/s, "").toLowerCase();
}

function priceOf(id: string, prices: Prices): PageModel["price"] {
  const price = prices.priceOf(id);
  return price === undefined
    ? null
    : { input: price.input, cacheRead: price.cacheRead ?? price.input, output: price.output };
}
