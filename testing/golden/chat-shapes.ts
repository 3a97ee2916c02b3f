import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { z } from "zod";
import { TurnUsage } from "./turn-usage-shape.js";

const count = z.int().nonnegative();
const word = z.string().min(1);
const finish = z.enum(["stop", "length", "tool_calls", "content_filter"]);

const Usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.strictObject({ cached_tokens: count }),
  completion_tokens_details: z.strictObject({ reasoning_tokens: count }),
  curlew_turn: TurnUsage.optional(),
});

const CallDelta = z.union([
  z.strictObject({
    index: count,
    id: word,
    type: z.literal("function"),
    function: z.strictObject({ name: word, arguments: z.string() }),
  }),
  z.strictObject({ index: count, function: z.strictObject({ arguments: z.string() }) }),
]);

const Delta = z.strictObject({
  role: z.literal("assistant").exactOptional(),
  content: z.string().exactOptional(),
  reasoning_content: word.exactOptional(),
  tool_calls: z.tuple([CallDelta]).exactOptional(),
});

export const Chunk = z.strictObject({
  id: z.string().startsWith("chatcmpl-"),
  object: z.literal("chat.completion.chunk"),
  created: count,
  model: word,
  choices: z
    .array(z.strictObject({ index: z.literal(0), delta: Delta, logprobs: z.null(), finish_reason: finish.nullable() }))
    .max(1),
  usage: Usage.nullable(),
});

export const Completion = z.strictObject({
  id: z.string().startsWith("chatcmpl-"),
  object: z.literal("chat.completion"),
  created: count,
  model: word,
  choices: z.tuple([
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: word.exactOptional(),
        tool_calls: z
          .array(
            z.strictObject({
              id: word,
              type: z.literal("function"),
              function: z.strictObject({ name: word, arguments: word }),
            }),
          )
          .min(1)
          .exactOptional(),
      }),
      logprobs: z.null(),
      finish_reason: finish,
    }),
  ]),
  usage: Usage,
});

// The official client must accept everything that the judge accepts.
const _chunk = (chunk: Chunk): ChatCompletionChunk => chunk;
const _completion = (completion: z.output<typeof Completion>): ChatCompletion => completion;

export type Usage = z.output<typeof Usage>;
export type Delta = z.output<typeof Delta>;
export type Chunk = z.output<typeof Chunk>;
export type FinishReason = z.output<typeof finish>;
