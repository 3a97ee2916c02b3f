import type { Model, ModelVariant, ParameterValue } from "../backends/backend.js";
import type { Vendor } from "../backends/profile/index.js";
import { isEffort, isSwitch } from "./effort.js";
import { fallbackModel } from "./fallback-model.js";
import { textOfShape } from "./name-shapes.js";

interface Choice {
  readonly parameters: ReadonlyMap<string, string>;
  readonly effort?: string;
  readonly isMax?: true;
}

export interface FoundModel {
  readonly model: Model;
  readonly variant?: ModelVariant;
  readonly choice: Choice;
  /** Whether the client asked for another model, and this one replaces it by our own choice. */
  readonly isFallback: boolean;
}

export interface OtherNames {
  readonly aliases: Readonly<Record<string, string>>;
  readonly vendors: readonly Vendor[];
  /** Whether only the list and the aliases count, so that vendors' names are unknown names. */
  readonly knowsOwnNamesOnly: boolean;
}

const noChoice: Choice = { parameters: new Map() };
const NAME_WITH_PARAMETERS = /^(.+)\[([^[\]]*)\]$/;

/** The model that a name means, in any of its forms. The most literal reading wins. */
export function findModel(
  asked: string,
  models: readonly Model[],
  { aliases, vendors, knowsOwnNamesOnly }: OtherNames,
): FoundModel | undefined {
  const name = asked.replace(/^cursor\//i, "");
  return readForms(name, (bare) => {
    const listed = findListed(bare, models);
    if (listed !== undefined) return listed;
    const target = Object.entries(aliases).find(([alias]) => alias.toLowerCase() === bare.toLowerCase())?.[1];
    // The settings have no aliases of aliases.
    if (target !== undefined) return readForms(target, (each) => findListed(each, models));
    const model = knowsOwnNamesOnly ? undefined : fallbackModel(bare, models, vendors);
    return model && { model, choice: noChoice, isFallback: true };
  });
}

type LookUp = (bare: string) => FoundModel | undefined;

/** Reads `name`, `name[context=1m,effort=high]`, `name:high`, `name:max` and `name:high:max`. */
function readForms(name: string, lookUp: LookUp): FoundModel | undefined {
  const whole = lookUp(name);
  if (whole !== undefined) return whole;
  const { name: before, parameters } = splitParameters(name);
  if (before !== name) {
    const found = readForms(before, lookUp);
    return found && { ...found, choice: withParameters(found.choice, parameters) };
  }
  const colon = name.lastIndexOf(":");
  if (colon < 1) return undefined;
  const found = readForms(name.slice(0, colon), lookUp);
  const choice = found && withSuffix(found, name.slice(colon + 1).toLowerCase());
  return choice && found && { ...found, choice };
}

function findListed(name: string, models: readonly Model[]): FoundModel | undefined {
  const wanted = name.toLowerCase();
  const isIt = (candidate: string | undefined) => candidate?.toLowerCase() === wanted;
  const byId = models.find(({ id }) => isIt(id));
  if (byId !== undefined) return found(byId);
  for (const model of models) {
    const variant = model.variants?.find(
      (each) => isIt(each.slug) || isIt(textOfShape({ id: model.base ?? model.id, parameters: each.parameters })),
    );
    if (variant !== undefined) return found(model, variant);
  }
  const named =
    models.find(({ aliases, base }) => isIt(base) || aliases.some(isIt)) ?? models.find((each) => isIt(each.name));
  return named && found(named);
}

function found(model: Model, variant?: ModelVariant): FoundModel {
  return { model, ...(variant && { variant }), choice: noChoice, isFallback: false };
}

/** Takes the parameters off a name in Cursor's notation, `base[context=1m,effort=high]`. */
export function splitParameters(name: string): { readonly name: string; readonly parameters: ParameterValue[] } {
  const [, before, inner] = NAME_WITH_PARAMETERS.exec(name) ?? [];
  if (before === undefined || inner === undefined) return { name, parameters: [] };
  const pairs = inner.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  const parameters = pairs.flatMap(([id, value]) => (id && value ? [{ id, value }] : []));
  return { name: before, parameters };
}

function withParameters(choice: Choice, parameters: readonly ParameterValue[]): Choice {
  const more = parameters.map(({ id, value }): [string, string] => [id, value]);
  return { ...choice, parameters: new Map([...choice.parameters, ...more]) };
}

/** The choice with the suffix applied; undefined if this model has no such option. */
function withSuffix({ model, choice }: FoundModel, word: string): Choice | undefined {
  const parameters = model.parameters ?? [];
  const set = (id: string, value: string) => withParameters(choice, [{ id, value }]);
  if (word === "max") return { ...choice, isMax: true };
  if (isEffort(word)) return { ...choice, effort: word };
  const named = parameters.find((each) => each.id === word && isSwitch(each));
  if (named !== undefined) return set(named.id, "true");
  const valued = parameters.find(({ values }) => values.includes(word));
  return valued && set(valued.id, word);
}

/** The name for people. Cursor's `default` is called `auto` everywhere except in the protocol. */
export function shownName({ id }: Pick<Model, "id">): string {
  return id === "default" ? "auto" : id;
}
