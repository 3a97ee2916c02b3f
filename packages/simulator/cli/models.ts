import { families } from "../server/catalogue.js";

/** A model in the CLI's list, which has one id for each variant. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Its name over ACP. */
  readonly bracketed: string;
  readonly aliases: readonly string[];
}

/** The simulator's catalogue, with `auto` where the wire says `default`. */
const catalogue: readonly ListedModel[] = families.flatMap((family) =>
  family.variants.map(({ slug, displayName, values, isDefault }) => ({
    id: slug === "default" ? "auto" : slug,
    name: displayName,
    bracketed: `${family.id}[${Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join(",")}]`,
    aliases: [displayName, ...(isDefault === true ? [family.id, ...family.aliases] : [])],
  })),
);

export function listModels(only: readonly string[]): readonly ListedModel[] {
  if (only.length === 0) return catalogue;
  return only.map((id) => catalogue.find((model) => model.id === id) ?? plainModel(id));
}

/** Finds a model by id, alias, display name or bracketed form, in any case. */
export function findModel(models: readonly ListedModel[], wanted: string): ListedModel | undefined {
  const name = wanted.toLowerCase();
  const base = name.endsWith("]") ? name.replace(/\[.*/s, "") : name;
  const matches = (model: ListedModel, word: string) =>
    [model.id, model.bracketed, ...model.aliases].some((alias) => alias.toLowerCase() === word);
  return models.find((model) => matches(model, name)) ?? models.find((model) => matches(model, base));
}

function plainModel(id: string): ListedModel {
  return { id, name: id, bracketed: `${id}[]`, aliases: [] };
}
