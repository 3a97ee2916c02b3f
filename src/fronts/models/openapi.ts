import { z } from "zod";
import type { RouteDescription } from "../openapi/index.js";

const OpenAiModel = z.looseObject({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
  name: z.string(),
  context_window: z.int().optional(),
  max_mode_context_window: z.int().optional(),
});

const OpenAiModelList = z.looseObject({ object: z.literal("list"), data: z.array(OpenAiModel) });

const AnthropicModel = z.looseObject({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int().nullable(),
  capabilities: z.looseObject({}),
  lifecycle: z.literal("active"),
});

const AnthropicModelList = z.looseObject({
  data: z.array(AnthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

const dialectHeader = {
  name: "anthropic-version",
  in: "header",
  description: "When present, the answer comes in Anthropic's form.",
  schema: { type: "string" },
} as const;

const pageOf = (name: string, description: string, type: "string" | "integer" = "string") =>
  ({ name, in: "query", description: `${description} In Anthropic's form only.`, schema: { type } }) as const;

export const listModels: RouteDescription = {
  operationId: "listModels",
  summary: "Lists the models of the account.",
  parameters: [
    dialectHeader,
    pageOf("limit", "How many models a page holds, 1 to 1000.", "integer"),
    pageOf("after_id", "The page begins after this model."),
    pageOf("before_id", "The page ends before this model."),
  ],
  replies: [
    { name: "OpenAiModelList", schema: OpenAiModelList },
    { name: "AnthropicModelList", schema: AnthropicModelList },
  ],
};

export const getModel: RouteDescription = {
  operationId: "getModel",
  summary: "Describes one model, by any name that requests may use for it.",
  parameters: [
    {
      name: "id",
      in: "path",
      description: "The model's name; slashes and colons need no escaping.",
      schema: { type: "string" },
    },
    dialectHeader,
  ],
  replies: [
    { name: "OpenAiModel", schema: OpenAiModel },
    { name: "AnthropicModel", schema: AnthropicModel },
  ],
};
