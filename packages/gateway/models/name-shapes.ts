import type { Model, ModelShape, ModelVariant } from "../backends/backend.js";
import type { IdShape } from "../backends/profile/index.js";

/** Models whose shape is remembered. The one that was learned first is evicted first. */
const MAX_LEARNED = 200;

/** Which shape of a model's name Cursor takes, by the name that our lists give it. */
export type LearnedShapes = Readonly<Record<string, string>>;

/** Which shape Cursor takes differs by account and day (docs/protocol/live-behaviour.md). All mean the same variant and none a dearer model. */
export function shapesOf(model: Model, usual: ModelShape, variant: ModelVariant | undefined): readonly ModelShape[] {
  if (variant === undefined) return [usual];
  const base = model.base ?? model.id;
  const shapes = [usual, { id: base, parameters: variant.parameters }];
  if (variant.slug !== undefined) shapes.push({ id: variant.slug, parameters: [] });
  if (variant.isDefault && !variant.isMax) shapes.push({ id: base, parameters: [] });
  return [...new Map(shapes.map((shape) => [textOfShape(shape), shape])).values()];
}

/** The same shapes in the order in which the profile lists their kinds. Kinds that it does not list come last. */
export function preferShapes(shapes: readonly ModelShape[], kinds: readonly IdShape[]): readonly ModelShape[] {
  const base = shapes.find(({ parameters }) => parameters.length > 0)?.id;
  const kindOf = ({ id, parameters }: ModelShape): IdShape =>
    parameters.length > 0 ? "parameters" : id === base ? "base" : "slug";
  const rank = (shape: ModelShape) => (kinds.includes(kindOf(shape)) ? kinds.indexOf(kindOf(shape)) : kinds.length);
  return shapes.toSorted((a, b) => rank(a) - rank(b));
}

export function orderShapes(shapes: readonly ModelShape[], learned: LearnedShapes): readonly ModelShape[] {
  const known = learned[keyOf(shapes)];
  const first = known === undefined ? undefined : shapes.find((shape) => textOfShape(shape) === known);
  return first === undefined ? shapes : [first, ...shapes.filter((shape) => shape !== first)];
}

/** `worked` is undefined if the first two shapes failed: the third is next. If it may have been a limit, a learned shape stays. */
export function learnShape(
  learned: LearnedShapes,
  shapes: readonly ModelShape[],
  worked: ModelShape | undefined,
  isCertain: boolean,
): LearnedShapes {
  const next = worked ?? shapes[2];
  const key = keyOf(shapes);
  if (!isCertain && learned[key] !== undefined) return learned;
  const { [key]: _, ...others } = learned;
  if (next === undefined) return others;
  return Object.fromEntries([...Object.entries(others), [key, textOfShape(next)]].slice(-MAX_LEARNED));
}

function keyOf(shapes: readonly ModelShape[]): string {
  return shapes.map(textOfShape).sort().join(" ");
}

/** A model in Cursor's notation: its id and the chosen parameters. */
export function textOfShape({ id, parameters }: ModelShape): string {
  return parameters.length === 0 ? id : `${id}[${parameters.map((each) => `${each.id}=${each.value}`).join(",")}]`;
}
