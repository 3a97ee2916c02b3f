import { z } from "zod";
import { ModelName, Stop, TokenLimit } from "../parts/request-schema.js";

/** The schema is strict about what we act on or report to the client, and silent about the rest. */
export const CompletionRequest = z.looseObject({
  model: ModelName,
  // The API also takes token ids, which only the model's own tokenizer could read.
  prompt: z.union([z.string(), z.array(z.string()), z.array(z.number()), z.array(z.array(z.number()))]),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  echo: z.boolean().nullish(),
  stop: Stop,
  max_tokens: TokenLimit,
  n: z.number().nullish(),
  best_of: z.number().nullish(),
  suffix: z.string().nullish(),
  logprobs: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  seed: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logit_bias: z.looseObject({}).nullish(),
});

export type CompletionRequest = z.infer<typeof CompletionRequest>;
