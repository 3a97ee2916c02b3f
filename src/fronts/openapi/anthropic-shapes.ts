import { z } from "zod";

export const AnthropicError = z.looseObject({
  type: z.literal("error"),
  error: z.looseObject({ type: z.string(), message: z.string() }),
});

export const AnthropicModel = z.looseObject({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
});

export const AnthropicModelList = z.looseObject({
  data: z.array(AnthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
