import { z } from "zod";
import { isDeeperThan } from "../../turn/json-depth.js";
import { MAX_TOOL_DEPTH } from "../../turn/request-limits.js";
import type { Turn } from "../../turn/turn.js";

/** Where a reply ends, as OpenAI's dialects write it. More than the API's four texts do no harm here. */
export const Stop = z.union([z.string(), z.array(z.string())]).nullish();

/** Longer than any name, and short enough to compare with a list and to print. */
export const ModelName = z.string().min(1).max(256, "must be a model's name, which has at most 256 characters");

export const TokenLimit = z.int().min(1, "must be 1 or more").nullish();

/** JSON Schema of a tool's arguments. */
export const ToolSchema = z
  .looseObject({})
  .refine((schema) => !isDeeperThan(schema, MAX_TOOL_DEPTH), `must not go deeper than ${MAX_TOOL_DEPTH} levels`);

/** Nothing comes after an empty text, so it stands for no wish at all. */
export function toLimits(
  stop: z.infer<typeof Stop>,
  maxTokens: z.infer<typeof TokenLimit>,
): Pick<Turn, "stop" | "maxTokens"> {
  const texts = [stop ?? []].flat().filter((text) => text !== "");
  return {
    ...(texts.length > 0 && { stop: texts }),
    ...(typeof maxTokens === "number" && { maxTokens }),
  };
}
