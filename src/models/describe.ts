import type { Model } from "../backends/backend.js";
import { findModel } from "./find-model.js";
import { type ModelPreferences, resolveModel } from "./resolve.js";

/** What a name means, by the same rules as for requests: the listed model, under the name that answers will carry. */
export function describeModel(
  name: string,
  models: readonly Model[],
  preferences: ModelPreferences,
): Model | undefined {
  const resolved = resolveModel({ model: name }, models, preferences);
  if (resolved === undefined) return undefined;
  const { shownAs: id, contextTokens } = resolved;
  const listed = findModel(name, models, preferences.aliases)?.model ?? { name: id, aliases: [], canThink: false };
  return { ...listed, id, ...(contextTokens !== undefined && { contextTokens }) };
}
