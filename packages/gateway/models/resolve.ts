import type { Model, ModelShape, ModelVariant, ParameterValue, RequestedModel } from "../backends/backend.js";
import { chooseEffort, effortsOf } from "./effort.js";
import { type FoundModel, findModel, type OtherNames, shownName, splitParameters } from "./find-model.js";
import { shapesOf, textOfShape } from "./name-shapes.js";

/** Names with this prefix are passed on unchanged, without a look at the list. */
const RAW_PREFIX = "raw/";

export interface ModelRequest {
  readonly model: string;
  readonly effort?: string;
}

export interface ResolvedModel extends RequestedModel {
  readonly shownAs: string;
  /** Sentences about options that the model does not have. */
  readonly warnings: readonly string[];
  /** What the list says against options that are sent all the same. Cursor's refusal would not name them. */
  readonly doubt?: string;
}

export interface ModelPreferences extends OtherNames {
  readonly prefersMax: boolean;
}

/** Resolves names that need no list; undefined for all others. */
export function resolveWithoutList({ model, effort }: ModelRequest): ResolvedModel | undefined {
  if (model.startsWith(RAW_PREFIX)) {
    const shownAs = model.slice(RAW_PREFIX.length);
    const { name, parameters } = splitParameters(shownAs);
    return { ...asItIs(name, { effort }), parameters, ...(shownAs === `${name}[]` && { isVariant: true }), shownAs };
  }
  const name = model.replace(/^cursor\//i, "").toLowerCase();
  if (name === "auto" || name === "default") return { ...asItIs("default", { effort }), shownAs: "auto" };
  return undefined;
}

/** Resolves a name without a list: it is passed on to Cursor. */
export function resolveUnlisted({ model, effort }: ModelRequest): ResolvedModel {
  const name = model.replace(/^cursor\//i, "");
  const bare = name.replace(/:max$/i, "");
  return asItIs(bare, { effort, isMax: bare !== name });
}

/** The model that a client means, and the exact parameters to send to Cursor. */
export function resolveModel(
  requested: ModelRequest,
  models: readonly Model[],
  preferences: ModelPreferences,
): ResolvedModel | undefined {
  const { model: asked } = requested;
  if (asked.startsWith(RAW_PREFIX)) return withDoubt(resolveWithoutList(requested), models);
  const found = findModel(asked, models, preferences);
  if (found === undefined) return undefined;
  const { model, choice } = found;
  const warnings: string[] = [];
  if (found.isFallback) warnings.push(`${asked} is not in your Cursor list; ${shownName(model)} answers instead.`);
  const wanted = new Map<string, string>();
  const effort = choice.effort ?? requested.effort;
  if (effort !== undefined) {
    const chosen = chooseEffort(model, effort);
    if (chosen !== undefined) wanted.set(chosen.id, chosen.value);
    else warnings.push(withoutEffort(model, effort));
  }
  for (const [id, value] of choice.parameters) {
    if (takes(model, id, value)) wanted.set(id, value);
    else warnings.push(`${doesNotTake(model, id, value)}; it is left out.`);
  }
  if (choice.isMax && model.canMax === false) warnings.push(`${shownName(model)} has no max mode; it is left out.`);
  const isMax =
    (choice.isMax && model.canMax !== false) ||
    (preferences.prefersMax && model.canMax === true) ||
    onlyInMax(model, wanted);
  return { ...request(found, wanted, isMax || undefined), warnings };
}

function withoutEffort(model: Model, effort: string): string {
  const efforts = effortsOf(model);
  if (efforts.length === 0) return `${shownName(model)} has no setting for the effort ${effort}; it is left out.`;
  return `Unknown effort ${effort}; it is left out. ${shownName(model)} takes ${orList(efforts)}.`;
}

function request({ model, variant }: FoundModel, wanted: ReadonlyMap<string, string>, isMax: true | undefined) {
  const { variants = [] } = model;
  const start =
    variant ??
    variants.find(({ slug }) => slug === model.id) ??
    variants.find(({ isDefault, isMax }) => isDefault && !isMax) ??
    variants.find(({ isDefault }) => isDefault);
  const isUnlisted = variant !== undefined && variant.slug !== model.id;
  const byListedId = (mode: boolean, meant: ModelVariant | undefined) =>
    shaped(model, mode, { id: model.id, parameters: [] }, meant, shownName(model));
  if (wanted.size === 0 && isMax === undefined && !isUnlisted) return byListedId(start?.isMax ?? false, start);
  const nearest = nearestVariant(model, start, wanted, isMax);
  const before = (nearest?.parameters ?? []).map(({ id, value }): [string, string] => [id, value]);
  const parameters = [...new Map([...before, ...wanted])].map(([id, value]) => ({ id, value }));
  const exact = variants.find((each) => isSame(each.parameters, parameters) && (each.isMax || !isMax));
  const mode = isMax ?? exact?.isMax ?? nearest?.isMax ?? false;
  if (parameters.length === 0 || (exact !== undefined && exact.slug === model.id)) return byListedId(mode, exact);
  const usual = { id: model.base ?? model.id, parameters };
  return shaped(model, mode, usual, exact, exact?.slug ?? textOfShape(usual));
}

function shaped(model: Model, isMax: boolean, usual: ModelShape, meant: ModelVariant | undefined, shownAs: string) {
  const shapes = shapesOf(model, usual, meant);
  return { ...abilities(model, isMax), ...usual, ...(shapes.length > 1 && { shapes }), shownAs };
}

function nearestVariant(
  { variants = [] }: Model,
  start: ModelVariant | undefined,
  wanted: ReadonlyMap<string, string>,
  isMax: true | undefined,
): ModelVariant | undefined {
  const likeness = ({ parameters, isMax: mode }: ModelVariant) => {
    const asWanted = parameters.filter(({ id, value }) => wanted.get(id) === value).length;
    const asBefore = parameters.filter((each) => start?.parameters.some((old) => isEqual(old, each))).length;
    return asWanted * 100 + (mode === (start?.isMax ?? false) ? 10 : 0) + asBefore;
  };
  const candidates = isMax ? variants.filter((each) => each.isMax) : variants;
  return candidates.toSorted((a, b) => likeness(b) - likeness(a))[0] ?? start;
}

/** Whether the request wants something that Cursor offers only in max mode. */
function onlyInMax({ variants = [] }: Model, wanted: ReadonlyMap<string, string>): boolean {
  return [...wanted].some(([id, value]) => {
    const offers = variants.filter(({ parameters }) => parameters.some((each) => isEqual(each, { id, value })));
    return offers.length > 0 && offers.every(({ isMax }) => isMax);
  });
}

function isSame(a: readonly ParameterValue[], b: readonly ParameterValue[]): boolean {
  return a.length === b.length && a.every((each) => b.some((other) => isEqual(each, other)));
}

function isEqual(a: ParameterValue, b: ParameterValue): boolean {
  return a.id === b.id && a.value === b.value;
}

/** Whether a model takes this value. Cursor leaves out the values of parameters that are on or off. */
function takes({ parameters }: Model, id: string, value: string): boolean {
  if (parameters === undefined) return true;
  const parameter = parameters.find((each) => each.id === id);
  if (parameter === undefined) return false;
  return parameter.values.includes(value) || (parameter.values.length === 0 && (value === "true" || value === "false"));
}

function doesNotTake({ id: model, parameters = [] }: Model, id: string, value: string): string {
  const values = parameters.find((each) => each.id === id)?.values;
  const ids = orList(parameters.map((each) => each.id)) || "none";
  const known = values === undefined ? `its options: ${ids}` : `${id} is ${orList(values) || "true or false"}`;
  return `${shownName({ id: model })} does not take ${id}=${value} (${known})`;
}

function withDoubt(raw: ResolvedModel | undefined, models: readonly Model[]): ResolvedModel | undefined {
  const model = models.find(({ id, base }) => raw?.id === id || raw?.id === base);
  const bad = model && raw?.parameters.find(({ id, value }) => !takes(model, id, value));
  if (raw === undefined || model === undefined || bad === undefined) return raw;
  const doubt = `${doesNotTake(model, bad.id, bad.value)}.`;
  return { ...raw, doubt, warnings: [...raw.warnings, doubt] };
}

function abilities({ contextTokens, maxContextTokens, canSeeImages }: Model, isMax: boolean) {
  const size = isMax ? (maxContextTokens ?? contextTokens) : contextTokens;
  return {
    isMax,
    ...(size !== undefined && { contextTokens: size }),
    ...(canSeeImages !== undefined && { canSeeImages }),
  };
}

function asItIs(
  id: string,
  { effort, isMax = false }: { effort?: string | undefined; isMax?: boolean },
): ResolvedModel {
  const warnings =
    effort === undefined
      ? []
      : [`${shownName({ id })} has no known setting for the effort ${effort}, which is ignored.`];
  return { id, parameters: [], isMax, shownAs: shownName({ id }), warnings };
}

/** `low, medium or high` */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
