import { z } from "zod";
import type { NamedMcpServer } from "../../turn/turn.js";
import {
  eachOnce,
  type LeftOut,
  ModelName,
  orLeftOut,
  otherThan,
  TokenLimit,
  ToolSchema,
} from "../parts/request-schema.js";
import type { PublishedType } from "./published-tools.js";

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

const Skill = z.looseObject({ name: z.string(), description: z.string(), path: z.string() });
const Environment = z.looseObject({ type: z.string(), skills: z.array(z.unknown()).nullish() });

/** A shell in a container is OpenAI's; without an environment it is the client's. */
const ShellTool = z
  .looseObject({ type: z.literal("shell"), environment: Environment.nullish() })
  .transform(({ environment }): PublishedTool | LeftOut => {
    if (environment && environment.type !== "local") return { type: "left-out", name: "shell in a container" };
    const skills = (environment?.skills ?? []).flatMap((skill) => Skill.safeParse(skill).data ?? []);
    const lines = skills.map(({ name, description, path }) => `- ${name} (in ${path}): ${description}`);
    return toPublished("shell", lines.length === 0 ? "" : `Skills, each with a SKILL.md:\n${lines.join("\n")}`);
  });
const ComputerPreviewTool = z
  .looseObject({
    type: z.literal("computer_use_preview"),
    display_width: z.number(),
    display_height: z.number(),
    environment: z.string(),
  })
  .transform(({ type, display_width, display_height, environment }) =>
    toPublished(type, `The display has ${display_width} by ${display_height} pixels (${environment}).`),
  );
const OtherPublishedTool = z
  .looseObject({ type: z.literal(["local_shell", "apply_patch", "computer"]) })
  .transform(({ type }) => toPublished(type));

export interface PublishedTool {
  readonly type: "published";
  readonly published: PublishedType;
  /** What the request says about it, for its description. */
  readonly about: string;
}

function toPublished(published: PublishedType, about = ""): PublishedTool {
  return { type: "published", published, about };
}

const ToolNames = z.array(z.string()).nullish();
const McpTool = z
  .looseObject({
    type: z.literal("mcp"),
    server_label: z.string().min(1),
    server_url: z.string().nullish(),
    allowed_tools: z.union([ToolNames, z.looseObject({ tool_names: ToolNames, read_only: z.boolean().nullish() })]),
    require_approval: z.unknown().optional(),
  })
  .transform(({ server_label, server_url, allowed_tools, require_approval }) => {
    const filter = Array.isArray(allowed_tools) ? { tool_names: allowed_tools } : allowed_tools;
    const allow = filter?.tool_names ? new Set(filter.tool_names) : undefined;
    const needsApproval =
      require_approval !== "never" && 'a call cannot be approved here; send require_approval: "never"';
    const problem = needsApproval || (filter?.read_only ? "which of them only read is not known here" : undefined);
    const server: NamedMcpServer = { label: server_label, url: server_url ?? undefined, allow, problem };
    return { type: "mcp" as const, server };
  });

export const Tool = orLeftOut(
  z.discriminatedUnion("type", [
    FunctionTool,
    CustomTool,
    NamespaceTool,
    ShellTool,
    ComputerPreviewTool,
    OtherPublishedTool,
    McpTool,
  ]),
);

const Named = z
  .looseObject({ type: z.literal(["function", "custom"]), name: z.string().min(1), namespace: z.string().nullish() })
  .transform(({ name, namespace }) => ({ type: "tool" as const, name, namespace: namespace ?? undefined }));

/** A mode, one tool by its name, a list of allowed tools, or a tool of OpenAI's by its type. */
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
export const Offer = z.object({ tools: eachOnce(Tool), tool_choice: ToolChoice });

export type Tool = z.infer<typeof Tool>;
export type CallableTool = z.infer<typeof CallableTool>;
export type NamespaceTool = z.infer<typeof NamespaceTool>;
export type RequestedToolChoice = z.infer<typeof ToolChoice>;

const Format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal(["text", "json_object"]) }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
  }),
]);

/** Strict about what we act on, lenient otherwise. Items and tools are parsed separately, because the response repeats them. */
export const ResponsesRequest = z.looseObject({
  model: ModelName,
  input: z.union([z.string(), eachOnce(z.looseObject({}))]).nullish(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]).nullish(),
  prompt: z.unknown().optional(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  generate: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  tools: eachOnce(z.looseObject({})).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.number().nullish(),
  max_output_tokens: TokenLimit,
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: Format.nullish(), verbosity: z.string().nullish() }).nullish(),
  truncation: z.string().nullish(),
  context_management: z.array(z.unknown()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  top_logprobs: z.number().nullish(),
  service_tier: z.string().nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
});

export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
