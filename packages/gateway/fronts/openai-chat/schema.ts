import { z } from "zod";
import type { InputBlock } from "../../turn/blocks.js";
import { fileFields, parseFile, parseImageUrl } from "../parts/attachment.js";
import {
  Audio,
  eachOnce,
  ModelName,
  orProblem,
  otherThan,
  Refusal,
  Stop,
  TokenLimit,
  ToolSchema,
} from "../parts/request-schema.js";

export const FunctionDefinition = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: ToolSchema.nullish(),
});

const CustomDefinition = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  format: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({
        type: z.literal("grammar"),
        grammar: z.looseObject({ syntax: z.string(), definition: z.string() }),
      }),
    ])
    .nullish(),
});

const Tool = z.union([
  z.looseObject({ type: z.literal("function").optional(), function: FunctionDefinition }),
  z.looseObject({ type: z.literal("custom"), custom: CustomDefinition }),
  otherThan(["function", "custom"]),
]);

const Named = z.object({ name: z.string().min(1) });
const NamedTool = z.union([
  z.object({ type: z.literal("function"), function: Named }).transform((choice) => choice.function),
  z.object({ type: z.literal("custom"), custom: Named }).transform((choice) => choice.custom),
]);
const Choice = z.enum(["none", "auto", "required"]);
const AllowedTools = z.object({
  type: z.literal("allowed_tools"),
  allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: z.array(NamedTool) }),
});
const choiceError = 'must be "none", "auto", "required", name one tool, or list the allowed tools';

const RequestedToolChoice = z.union([Choice, NamedTool, AllowedTools], choiceError);
const RequestedFunctionChoice = z.union([Choice, Named], choiceError);

export type FunctionDefinition = z.infer<typeof FunctionDefinition>;

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });
const Url = z.string().transform(orProblem(parseImageUrl));
const Image = z
  .looseObject({
    type: z.literal("image_url"),
    image_url: z.union([Url, z.looseObject({ url: Url }).transform(({ url }) => url)]),
  })
  .transform(({ image_url }): InputBlock => image_url);
const File = z
  .looseObject({
    type: z.literal("file"),
    file: z
      .looseObject(fileFields)
      .transform(orProblem(({ file_data, filename, file_id }) => parseFile({ file_data, filename, file_id }))),
  })
  .transform(({ file }): InputBlock => file);

const contentOf = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part)]).nullish();
const TextContent = contentOf(Text);
const Content = contentOf(z.discriminatedUnion("type", [Text, Image, Audio, File]));

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
  z.looseObject({ role: z.literal(["system", "developer"]), content: TextContent }),
  z.looseObject({ role: z.literal("user"), content: Content }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentOf(z.discriminatedUnion("type", [Text, Refusal])),
    reasoning_content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(ToolCall).nullish(),
    function_call: z.looseObject({ name: z.string().min(1), arguments: z.string().nullish() }).nullish(),
  }),
  z.looseObject({ role: z.literal("tool"), tool_call_id: z.string().min(1), content: Content }),
  z.looseObject({ role: z.literal("function"), name: z.string().min(1), content: TextContent }),
]);

const Schema = z.record(z.string(), z.unknown());

/** The schema is in `json_schema` or, in short form, directly in the format. */
const ResponseFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({
    type: z.literal(["json_object", "json_schema"]),
    json_schema: z.looseObject({ name: z.string().nullish(), schema: Schema.nullish() }).nullish(),
    schema: Schema.nullish(),
  }),
]);

export const ChatRequest = z.looseObject({
  model: ModelName,
  messages: eachOnce(ChatMessage),
  system: TextContent,
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  reasoning_effort: z.string().nullish(),
  tools: eachOnce(Tool).nullish(),
  functions: z.array(FunctionDefinition).nullish(),
  tool_choice: RequestedToolChoice.nullish(),
  function_call: RequestedFunctionChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  n: z.number().nullish(),
  modalities: z.array(z.string()).nullish(),
  audio: z.looseObject({}).nullish(),
  max_tokens: TokenLimit,
  max_completion_tokens: TokenLimit,
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  seed: z.number().nullish(),
  stop: Stop,
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logit_bias: z.looseObject({}).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().nullish(),
  response_format: ResponseFormat.nullish(),
  verbosity: z.string().nullish(),
  prediction: z.looseObject({}).nullish(),
  store: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  web_search_options: z.looseObject({}).nullish(),
});

export type ChatRequest = z.infer<typeof ChatRequest>;
export type ChatMessage = z.infer<typeof ChatMessage>;
