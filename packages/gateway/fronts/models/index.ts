import { z } from "zod";
import { OUTPUT_TOKENS } from "../../models/assumed-limits.js";
import { effortsOf, shownName } from "../../models/index.js";
import type { RouteGroup } from "../dialect.js";
import { AnthropicError, OpenAiError, parameter } from "../openapi/index.js";
import {
  CREATED_SECONDS,
  type ListedModel,
  parsePaging,
  writeAnthropicList,
  writeAnthropicModel,
} from "./anthropic.js";

const OpenAiModel = z.looseObject({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
  name: z.string(),
  context_window: z.int().optional(),
  max_mode_context_window: z.int().optional(),
  max_output_tokens: z.int().describe("Also as max_completion_tokens."),
});

const OpenAiModelList = z.looseObject({ object: z.literal("list"), data: z.array(OpenAiModel) });

const AnthropicModel = z.looseObject({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int().nullable(),
  max_tokens: z.int(),
  capabilities: z.looseObject({}),
  lifecycle: z.literal("active"),
});

const AnthropicModelList = z.looseObject({
  data: z.array(AnthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/** Both dialects ask at the same address; every call of Anthropic's clients has this header. */
const ANTHROPIC_HEADER = "anthropic-version";

const dialectHeader = parameter("header", ANTHROPIC_HEADER, "When present, the answer comes in Anthropic's form.");

const inPages = (name: string, description: string, type: "string" | "integer" = "string") =>
  parameter("query", name, `${description} In Anthropic's form only.`, { type });

/** The same limit as in requests; longer than any name. */
const MAX_NAME = 256;

export const models: RouteGroup = {
  fronts: [],
  endpoints: [
    {
      method: "GET",
      path: "/v1/models",
      description: {
        operationId: "listModels",
        summary: "Lists the models of the account.",
        parameters: [
          dialectHeader,
          inPages("limit", "How many models a page holds, 1 to 1000.", "integer"),
          inPages("after_id", "The page begins after this model."),
          inPages("before_id", "The page ends before this model."),
        ],
        replies: { OpenAiModelList, AnthropicModelList },
      },
      async answer({ headers, query, models }) {
        const paging = headers[ANTHROPIC_HEADER] && parsePaging(query);
        const listed = await models();
        if (paging) return { body: writeAnthropicList(listed, paging) };
        return { body: { object: "list", data: listed.map(writeOpenAiModel) } };
      },
    },
    {
      method: "GET",
      path: "/v1/models/:id{.+}",
      description: {
        operationId: "getModel",
        summary: "Describes one model, by any name that requests may use for it.",
        parameters: [parameter("path", "id", "The model's name; slashes and colons need no escaping."), dialectHeader],
        replies: { OpenAiModel, AnthropicModel },
      },
      async answer({ headers, param, model }) {
        const found = await model(param("id").slice(0, MAX_NAME));
        return { body: headers[ANTHROPIC_HEADER] ? writeAnthropicModel(found) : writeOpenAiModel(found) };
      },
    },
  ],
  errorShapes: { OpenAiError, AnthropicError },
};

/** OpenAI's form, with additional fields. */
function writeOpenAiModel(model: ListedModel) {
  const { contextTokens, maxContextTokens } = model;
  return {
    id: shownName(model),
    object: "model",
    created: CREATED_SECONDS,
    owned_by: "cursor",
    name: model.name,
    ...(contextTokens !== undefined && { context_window: contextTokens }),
    ...(maxContextTokens !== undefined && model.canMax && { max_mode_context_window: maxContextTokens }),
    max_output_tokens: OUTPUT_TOKENS,
    max_completion_tokens: OUTPUT_TOKENS,
    reasoning: model.canThink,
    attachment: model.canSeeImages ?? false,
    efforts: effortsOf(model),
  };
}
