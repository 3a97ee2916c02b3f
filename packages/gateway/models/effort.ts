import type { Model, ModelParameter, ParameterValue } from "../backends/backend.js";

/** The ids of effort parameters that have been observed. The first that a model has counts. */
const parameterIds = ["effort", "reasoning_effort", "reasoning", "thinking"];

const scale = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const otherWords: Readonly<Record<string, string>> = {
  off: "none",
  false: "none",
  disabled: "none",
  on: "high",
  true: "high",
  enabled: "high",
  "extra-high": "xhigh",
  extra_high: "xhigh",
  "extra high": "xhigh",
};

export function isEffort(word: string): boolean {
  return rankOf(word) >= 0;
}

/** The efforts that a model accepts, in the words that requests use. */
export function effortsOf(model: Pick<Model, "parameters">): string[] {
  const [parameter] = parametersOf(model);
  if (parameter === undefined) return [];
  return isSwitch(parameter) ? ["none", "high"] : parameter.values.filter(isEffort);
}

/** The valid suffixes after a colon: the model's efforts, its other values and switches, and max mode. */
export function optionsOf(model: Pick<Model, "parameters" | "canMax">): string[] {
  const efforts = effortsOf(model);
  const others = (model.parameters ?? []).filter(({ id }) => !parameterIds.includes(id));
  const values = others.flatMap((each) => (isSwitch(each) ? [each.id] : each.values));
  return [...new Set([...efforts, ...values, ...(model.canMax ? ["max"] : [])])];
}

/** The nearest value of the model's own parameter for effort; undefined when the model has none or the word is unknown. */
export function chooseEffort(model: Model, requested: string): ParameterValue | undefined {
  const rank = rankOf(requested);
  const candidates = parametersOf(model);
  const switchable = candidates.find(isSwitch);
  // "none" should switch thinking off rather than choose the lowest effort.
  const parameter = rank === 0 && switchable !== undefined ? switchable : candidates[0];
  if (parameter === undefined) return undefined;
  const value = isSwitch(parameter) && rank >= 0 ? String(rank > 0) : nearest(parameter.values, requested);
  return value === undefined ? undefined : { id: parameter.id, value };
}

function parametersOf({ parameters = [] }: Pick<Model, "parameters">): ModelParameter[] {
  return parameterIds.flatMap((id) => parameters.filter((parameter) => parameter.id === id));
}

/** Whether a parameter is on or off. Cursor may leave out the values of such parameters. */
export function isSwitch({ values }: ModelParameter): boolean {
  return values.every((value) => value === "true" || value === "false");
}

/** The nearest value. Of two equally near ones, it is the higher effort. */
function nearest(values: readonly string[], requested: string): string | undefined {
  const same = values.find((value) => value.toLowerCase() === requested.toLowerCase());
  if (same !== undefined) return same;
  const wanted = rankOf(requested);
  if (wanted < 0) return undefined;
  return values
    .filter((value) => rankOf(value) >= 0)
    .sort((a, b) => Math.abs(rankOf(a) - wanted) - Math.abs(rankOf(b) - wanted) || rankOf(b) - rankOf(a))[0];
}

function rankOf(word: string): number {
  const lower = word.toLowerCase();
  return scale.indexOf(otherWords[lower] ?? lower);
}
