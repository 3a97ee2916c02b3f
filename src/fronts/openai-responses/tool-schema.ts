import { z } from "zod";
import { orLeftOut, otherThan, ToolSchema } from "../parts/request-schema.js";

const FunctionTool = z.looseObject({
  type: z.literal("function"),
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: ToolSchema.nullish(),
});

const CustomTool = z.looseObject({
  type: z.literal("custom"),
  name: z.string().min(1),
  description: z.string().nullish(),
  format: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({ type: z.literal("grammar"), syntax: z.string(), definition: z.string() }),
    ])
    .nullish(),
});

const CallableTool = z.discriminatedUnion("type", [FunctionTool, CustomTool]);

const NamespaceTool = z.looseObject({
  type: z.literal("namespace"),
  name: z.string().min(1),
  description: z.string().nullish(),
  tools: z.array(orLeftOut(CallableTool)),
});

export const Tool = orLeftOut(z.discriminatedUnion("type", [FunctionTool, CustomTool, NamespaceTool]));

const Named = z
  .looseObject({ type: z.literal(["function", "custom"]), name: z.string().min(1), namespace: z.string().nullish() })
  .transform(({ name, namespace }) => ({ type: "tool" as const, name, namespace: namespace ?? undefined }));

/** A mode, one tool by its name, a list of allowed tools, or a hosted tool, which the gateway never has. */
const ToolChoice = z.union(
  [
    z.enum(["none", "auto", "required"]).transform((type) => ({ type })),
    Named,
    z.object({
      type: z.literal("allowed_tools"),
      mode: z.enum(["auto", "required"]),
      tools: z.array(z.union([Named, otherThan(["function", "custom"])])),
    }),
    otherThan(["function", "custom", "allowed_tools"]),
  ],
  'must be "none", "auto", "required", name one tool, or list the allowed tools',
);

/** The fields are named as in the request, so that an error has the path that the client knows. */
export const Offer = z.object({ tools: z.array(Tool), tool_choice: ToolChoice });

export type Tool = z.infer<typeof Tool>;
export type CallableTool = z.infer<typeof CallableTool>;
export type NamespaceTool = z.infer<typeof NamespaceTool>;
export type RequestedToolChoice = z.infer<typeof ToolChoice>;
