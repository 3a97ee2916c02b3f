import type { Model, ModelShape, ModelVariant } from "../backends/backend.js";
import type { IdShape } from "../backends/profile/index.js";

/** Models whose shape is remembered. The one that was learned first is evicted first. */
const MAX_LEARNED = 200;
const SEPARATOR = "\n";

/** The shapes that are tried first: the one that Cursor has taken, or those that it has not refused. By the names of our lists. */
export type LearnedShapes = Readonly<Record<string, string>>;

/** Which shape Cursor takes differs by account and day (docs/protocol/live-behaviour.md). All mean the same variant and none a dearer model. */
export function shapesOf(model: Model, usual: ModelShape, variant: ModelVariant | undefined): readonly ModelShape[] {
  if (variant === undefined) return [usual];
  const base = model.base ?? model.id;
  const shapes = [usual, { id: base, parameters: variant.parameters }];
  if (variant.slug !== undefined) shapes.push({ id: variant.slug, parameters: [] });
  if (variant.isDefault && !variant.isMax) shapes.push({ id: base, parameters: [] });
  // Last, because only one account is known to need it. The name of a model without parameters is its base.
  if (variant.slug !== undefined && variant.slug !== base && variant.parameters.length > 0)
    shapes.push({ id: variant.slug, parameters: [], isVariant: true });
  return [...new Map(shapes.map((shape) => [textOfShape(shape), shape])).values()];
}

/** The same shapes in the order in which the profile lists their kinds. Kinds that it does not list come last. */
export function preferShapes(shapes: readonly ModelShape[], kinds: readonly IdShape[]): readonly ModelShape[] {
  const base = shapes.find(({ parameters }) => parameters.length > 0)?.id;
  const kindOf = ({ id, parameters, isVariant }: ModelShape): IdShape =>
    parameters.length > 0 ? "parameters" : id === base ? "base" : isVariant ? "variant" : "slug";
  const rank = (shape: ModelShape) => (kinds.includes(kindOf(shape)) ? kinds.indexOf(kindOf(shape)) : kinds.length);
  return shapes.toSorted((a, b) => rank(a) - rank(b));
}

export function orderShapes(shapes: readonly ModelShape[], learned: LearnedShapes): readonly ModelShape[] {
  const known = learned[keyOf(shapes)]?.split(SEPARATOR) ?? [];
  const first = known.flatMap((text) => shapes.find((shape) => textOfShape(shape) === text) ?? []);
  return first.length === 0 ? shapes : [...first, ...shapes.filter((shape) => !first.includes(shape))];
}

/** `worked` is undefined if the first two shapes failed: the others are next. If it may have been a limit, a single learned shape stays. */
export function learnShape(
  learned: LearnedShapes,
  shapes: readonly ModelShape[],
  worked: ModelShape | undefined,
  isCertain: boolean,
): LearnedShapes {
  const next = worked === undefined ? shapes.slice(2) : [worked];
  const key = keyOf(shapes);
  if (!isCertain && learned[key]?.includes(SEPARATOR) === false) return learned;
  const { [key]: _, ...others } = learned;
  if (next.length === 0) return others;
  const texts = next.map(textOfShape).join(SEPARATOR);
  return Object.fromEntries([...Object.entries(others), [key, texts]].slice(-MAX_LEARNED));
}

/** Without the marked name, which follows from the others: what was learned before it was known stays known. */
function keyOf(shapes: readonly ModelShape[]): string {
  const unmarked = shapes.filter(({ isVariant }) => !isVariant);
  return unmarked.map(textOfShape).sort().join(" ");
}

/** A model in Cursor's notation: its id and the chosen parameters. Empty brackets mark the name of a variant. */
export function textOfShape({ id, parameters, isVariant }: ModelShape): string {
  if (parameters.length === 0) return isVariant ? `${id}[]` : id;
  return `${id}[${parameters.map((each) => `${each.id}=${each.value}`).join(",")}]`;
}
