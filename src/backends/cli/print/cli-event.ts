import { z } from "zod";

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().catch(0);
const Usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
});
const Content = z.array(z.object({ type: z.string(), text }).catch({ type: "unknown", text: undefined }));

/** A line of `stream-json`, as far as we use it. Builds differ and add to it, so nothing but the type must be there. */
export const CliEvent = z.object({
  type: z.string(),
  subtype: text,
  text,
  message: z.object({ content: Content }).optional().catch(undefined),
  timestamp_ms: z.unknown().optional(),
  model_call_id: z.unknown().optional(),
  call_id: text,
  tool_call: z.record(z.string(), z.unknown()).optional().catch(undefined),
  is_error: z.boolean().optional().catch(undefined),
  result: text,
  error: z.unknown().optional(),
  usage: Usage.optional().catch(undefined),
});
export type CliEvent = z.infer<typeof CliEvent>;
