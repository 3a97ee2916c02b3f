import { z } from "zod";

const count = z.int().min(0);

/** Our own field, the same in every dialect: the usage of the whole turn, if the reply has only a part of it. */
export const TurnUsage = z.strictObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
});
