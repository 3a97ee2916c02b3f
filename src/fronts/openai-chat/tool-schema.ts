import { z } from "zod";
import { otherThan, ToolSchema } from "../parts/request-schema.js";

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

export const Tool = z.union([
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

export const RequestedToolChoice = z.union([Choice, NamedTool, AllowedTools], choiceError);
export const RequestedFunctionChoice = z.union([Choice, Named], choiceError);

export type FunctionDefinition = z.infer<typeof FunctionDefinition>;
