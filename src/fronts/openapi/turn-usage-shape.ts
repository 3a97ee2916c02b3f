import { z } from "zod";

export const TurnUsage = z
  .looseObject({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_write_tokens: z.int(),
    reasoning_tokens: z.int(),
  })
  .describe("What the whole turn took, where that is more than the last model call of this reply has read.");
