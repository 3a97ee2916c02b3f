import type { PageModel } from "../../src/page/contract.js";
import { hasWords } from "../parts/has-words.js";

export const orders = { listed: "As listed", name: "Name", context: "Context", price: "Price" } as const;
export type Order = keyof typeof orders;

/** The models in which every word of the search occurs: in a name, or in what they can do. */
export function searchModels(models: readonly PageModel[], search: string): readonly PageModel[] {
  return models.filter((model) => hasWords(textOf(model), search));
}

function textOf({ id, title, aliases, thinks, seesImages, efforts }: PageModel): string {
  const abilities = [thinks ? "thinks" : "", seesImages ? "images" : "", ...efforts];
  return [title, id, ...aliases, ...abilities].join(" ");
}

/** The largest context and the lowest price come first; models of which that is not known come last. */
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

/** With max mode, if it has that; 0 if it is not known. */
export function largestContext({ contextTokens, maxModeContextTokens }: PageModel): number {
  return Math.max(contextTokens ?? 0, maxModeContextTokens ?? 0);
}

/** $5.00, $0.125 */
export function priceText(amount: number): string {
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}

/** A name with another effort than its own, to show how that is written; undefined if no model has efforts. */
export function effortExample(models: readonly PageModel[]): string | undefined {
  const model = models.find(({ efforts }) => efforts.length > 0);
  const effort = model?.efforts.findLast((each) => !model.id.endsWith(each));
  return model && effort && `${model.id}:${effort}`;
}
