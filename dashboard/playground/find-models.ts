import type { PageModel } from "../../src/page/contract.js";

/** The models whose names have all words of the query. */
export function findModels(models: readonly PageModel[], query: string): readonly PageModel[] {
  const words = query.toLowerCase().split(/\s+/);
  return models.filter(({ id, title, aliases }) => {
    const names = [id, title, ...aliases].join(" ").toLowerCase();
    return words.every((word) => names.includes(word));
  });
}
