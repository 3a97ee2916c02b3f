import { z } from "zod";
import type { TextBlock } from "../../turn/blocks.js";
import { isDeeperThan } from "../../turn/canonical.js";
import { perObject } from "../../turn/per-object.js";
import { MAX_TOOL_DEPTH } from "../../turn/request-limits.js";
import type { Turn } from "../../turn/turn.js";

/** The stop sequences in OpenAI's dialects. More than the API's four do no harm here. */
export const Stop = z.union([z.string(), z.array(z.string())]).nullish();

/** The limit is longer than any name, and short enough to compare with a list and to print. */
export const ModelName = z.string().min(1).max(256, "must be a model's name, which has at most 256 characters");

export const TokenLimit = z.int().min(1, "must be 1 or more").nullish();

export const ToolSchema = z
  .looseObject({})
  .refine((schema) => !isDeeperThan(schema, MAX_TOOL_DEPTH), `must not go deeper than ${MAX_TOOL_DEPTH} levels`);

/** An empty stop sequence counts as none. */
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

export const Refusal = z
  .looseObject({ type: z.literal("refusal"), refusal: z.string() })
  .transform(({ refusal }) => toTextBlock(refusal));

/** A part that OpenAI has and Cursor's models do not accept. */
export const Audio = z
  .looseObject({ type: z.literal("input_audio") })
  .refine(() => false, "audio cannot be passed on to Cursor; send text or images")
  .transform(() => toTextBlock(""));

export function toTextBlock(text: string): TextBlock {
  return { type: "text", text };
}

/** Makes a schema transformation of a parser that describes its problem in words: the words become the field's error. */
export function orProblem<Input, Block extends object>(parse: (input: Input) => Block | { problem: string }) {
  return (input: Input, context: z.RefinementCtx): Block => {
    const parsed = parse(input);
    if (!("problem" in parsed)) return parsed;
    context.issues.push({ code: "custom", message: parsed.problem, input: undefined });
    return z.NEVER;
  };
}

/** A part of a request that the API has and the gateway ignores. */
export interface LeftOut {
  readonly type: "left-out";
  readonly name: string;
}

/** A vendor's search of the web, or Anthropic's fetch, for both of which Cursor has a tool: `web_search_20250305`. */
export function isWebTool(type: string): boolean {
  return /^web_(?:search|fetch)/.test(type);
}

/** Matches any type without a schema of its own. A broken part of a known type is described better by its own branch. */
export function otherThan(known: Iterable<unknown>) {
  const types = new Set(known);
  return z
    .looseObject({ type: z.string() })
    .refine(({ type }) => !types.has(type), { abort: true })
    .transform(({ type }): LeftOut => ({ type: "left-out", name: type.slice(0, 40) }));
}

/**
 * A list whose entries are each checked once: an entry that a client repeats is the same object as before, and then gives the same
 * output. For the rest, it is `z.array`.
 */
export function eachOnce<Entry extends z.ZodType>(entry: Entry) {
  const check = perObject((input: object) => entry.safeParse(input));
  return z.unknown().transform((list, context): z.output<Entry>[] => {
    if (!Array.isArray(list)) {
      context.issues.push({ code: "invalid_type", expected: "array", input: list });
      return z.NEVER;
    }
    const checked: z.output<Entry>[] = [];
    for (let at = 0; at < list.length; at++) {
      const input: unknown = list[at];
      const parsed = typeof input === "object" && input !== null ? check(input) : entry.safeParse(input);
      if (parsed.success) checked.push(parsed.data);
      else
        context.issues.push(
          ...parsed.error.issues.map((issue) => ({ ...issue, path: [at, ...issue.path], input: undefined })),
        );
    }
    return checked;
  });
}

/** Parts that are distinguished by their types, including unknown types. */
export function orLeftOut<Known extends z.ZodDiscriminatedUnion>(known: Known) {
  return z.union([known, otherThan(known._zod.propValues.type ?? [])]);
}
