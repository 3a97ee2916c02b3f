import type { Model, ModelParameter, ParameterValue } from "../backends/backend.js";

/** Where models keep it, by the ids that have been seen; the first that a model has counts. */
const parameterIds = ["effort", "reasoning_effort", "reasoning", "thinking"];

/** From none to all. */
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

/** How hard a model can be told to think, in the words that requests use. */
export function effortsOf(model: Pick<Model, "parameters">): string[] {
  const [parameter] = parametersOf(model);
  if (parameter === undefined) return [];
  return isSwitch(parameter) ? ["none", "high"] : parameter.values.filter(isEffort);
}

/** The value of the model's own parameter that comes nearest to a wish; undefined when it has none, or nobody knows the word. */
export function chooseEffort(model: Model, requested: string): ParameterValue | undefined {
  const candidates = parametersOf(model);
  const switchable = candidates.find(isSwitch);
  // Not to think at all is more than to think little.
  const parameter = rankOf(requested) === 0 && switchable !== undefined ? switchable : candidates[0];
  if (parameter === undefined) return undefined;
  const value = isSwitch(parameter) ? switchValue(requested) : nearest(parameter.values, requested);
  return value === undefined ? undefined : { id: parameter.id, value };
}

function parametersOf({ parameters = [] }: Pick<Model, "parameters">): ModelParameter[] {
  return parameterIds.flatMap((id) => parameters.filter((parameter) => parameter.id === id));
}

/** True for parameters that are on or off; Cursor may leave out their values. */
export function isSwitch({ values }: ModelParameter): boolean {
  return values.every((value) => value === "true" || value === "false");
}

function switchValue(requested: string): string | undefined {
  const rank = rankOf(requested);
  return rank < 0 ? undefined : String(rank > 0);
}

/** Between two that are equally near, the one that thinks harder. */
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
