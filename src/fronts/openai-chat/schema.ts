import { z } from "zod";
import { parseFile } from "../document.js";
import { parseImageUrl } from "../image-url.js";
import { orProblem } from "../or-problem.js";

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });
const Refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });

const Url = z.string().transform(orProblem(parseImageUrl));
const Image = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.union([Url, z.looseObject({ url: Url }).transform(({ url }) => url)]),
});

/** Parts that the API has and Cursor's models do not take. */
const refused = <Type extends string>(type: Type, reason: string) =>
  z.looseObject({ type: z.literal(type) }).refine(() => false, reason);
const Audio = refused("input_audio", "audio cannot be passed on to Cursor; send text or images");
const File = z.looseObject({
  type: z.literal("file"),
  file: z
    .looseObject({ file_data: z.string().nullish(), filename: z.string().nullish(), file_id: z.string().nullish() })
    .transform(orProblem(({ file_data, filename, file_id }) => parseFile({ file_data, filename, file_id }))),
});

const content = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part)]).nullish();

const ToolCall = z.discriminatedUnion("type", [
  z.looseObject({
    id: z.string().min(1),
    type: z.literal("function").optional(),
    function: z.looseObject({ name: z.string().min(1), arguments: z.string().nullish() }),
  }),
  z.looseObject({
    id: z.string().min(1),
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string().min(1), input: z.string() }),
  }),
]);

const ChatMessage = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal(["system", "developer"]), content: content(Text) }),
  z.looseObject({
    role: z.literal("user"),
    content: content(z.discriminatedUnion("type", [Text, Image, Audio, File])),
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: content(z.discriminatedUnion("type", [Text, Refusal])),
    reasoning_content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(ToolCall).nullish(),
    function_call: z.looseObject({ name: z.string().min(1), arguments: z.string().nullish() }).nullish(),
  }),
  z.looseObject({
    role: z.literal("tool"),
    tool_call_id: z.string().min(1),
    content: content(z.discriminatedUnion("type", [Text, Image, Audio, File])),
  }),
  z.looseObject({ role: z.literal("function"), name: z.string().min(1), content: content(Text) }),
]);

const FunctionDefinition = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
});
const Tool = z.union([
  z.looseObject({ type: z.literal("function").optional(), function: FunctionDefinition }),
  // Not a branch for a broken function tool: its own branch says better what is wrong with it.
  z.looseObject({ type: z.string().refine((type) => type !== "function", { abort: true }) }),
]);

const Named = z.object({ name: z.string().min(1) });
const NamedTool = z.object({ type: z.literal("function"), function: Named }).transform((choice) => choice.function);
const Choice = z.enum(["none", "auto", "required"]);
const choiceError = 'must be "none", "auto", "required" or name one function';

/** Strict about what we act on or tell the client about, silent about the rest. */
export const ChatRequest = z.looseObject({
  // Longer than any name, and short enough to compare with a list and to print.
  model: z.string().min(1).max(256, "must be a model's name, which has at most 256 characters"),
  messages: z.array(ChatMessage),
  system: content(Text),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.string().nullish(),
  tools: z.array(Tool).nullish(),
  functions: z.array(FunctionDefinition).nullish(),
  tool_choice: z.union([Choice, NamedTool], choiceError).nullish(),
  function_call: z.union([Choice, Named], choiceError).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  n: z.number().max(1, "must be 1: one request gives one choice here").nullish(),
  modalities: z
    .array(z.string())
    .refine((modalities) => !modalities.includes("audio"), "must not hold audio: answers are text")
    .nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  seed: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logit_bias: z.looseObject({}).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  verbosity: z.string().nullish(),
  prediction: z.looseObject({}).nullish(),
  store: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  web_search_options: z.looseObject({}).nullish(),
});

export type ChatRequest = z.infer<typeof ChatRequest>;
export type ChatMessage = z.infer<typeof ChatMessage>;
