import { effortsOf, shownName } from "../../models/index.js";
import { CREATED_SECONDS, type ListedModel } from "./listed-model.js";

export function writeOpenAiList(models: readonly ListedModel[]) {
  return { object: "list", data: models.map(writeOpenAiModel) };
}

/** OpenAI's form, with additional fields for what that form lacks. */
export function writeOpenAiModel(model: ListedModel) {
  const { contextTokens, maxContextTokens } = model;
  return {
    id: shownName(model),
    object: "model",
    created: CREATED_SECONDS,
    owned_by: "cursor",
    name: model.name,
    ...(contextTokens !== undefined && { context_window: contextTokens }),
    ...(maxContextTokens !== undefined && model.canMax && { max_mode_context_window: maxContextTokens }),
    reasoning: model.canThink,
    attachment: model.canSeeImages ?? false,
    efforts: effortsOf(model),
  };
}
