import type { PageModel } from "../../access/contract.js";
import { hasWords } from "../parts/has-words.js";

export const orders = { listed: "As listed", name: "Name", context: "Context", price: "Price" } as const;
export type Order = keyof typeof orders;

/** The models whose names and abilities contain every word of the search. */
export function searchModels(models: readonly PageModel[], search: string): readonly PageModel[] {
  return models.filter((model) => hasWords(textOf(model), search));
}

function textOf({ id, title, aliases, thinks, seesImages, efforts }: PageModel): string {
  const abilities = [thinks ? "thinks" : "", seesImages ? "images" : "", ...efforts];
  return [title, id, ...aliases, ...abilities].join(" ");
}

/** Largest context or lowest price first; models with unknown values last. */
export function sortModels(models: readonly PageModel[], order: Order): readonly PageModel[] {
  switch (order) {
    case "listed":
      return models;
    case "name":
      return models.toSorted((a, b) => a.title.localeCompare(b.title, "en", { numeric: true }));
    case "context":
      return models.toSorted((a, b) => largestContext(b) - largestContext(a));
    case "price":
      return models.toSorted((a, b) => {
        if (a.price === null || b.price === null) return Number(a.price === null) - Number(b.price === null);
        return a.price.input - b.price.input || a.price.output - b.price.output;
      });
  }
}

/** Including max mode, if available; 0 if unknown. */
export function largestContext({ contextTokens, maxModeContextTokens }: PageModel): number {
  return Math.max(contextTokens ?? 0, maxModeContextTokens ?? 0);
}

/** $5.00, $0.125 */
export function priceText(amount: number): string {
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}

/** Example of a name with an appended effort other than its own; undefined if no model has efforts. */
export function effortExample(models: readonly PageModel[]): string | undefined {
  const model = models.find(({ efforts }) => efforts.length > 0);
  const effort = model?.efforts.findLast((each) => !model.id.endsWith(each));
  return model && effort && `${model.id}:${effort}`;
}
