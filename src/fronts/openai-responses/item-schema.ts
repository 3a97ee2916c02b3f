import { z } from "zod";
import { otherThan } from "../parts/request-schema.js";
import { Content } from "./content-schema.js";
import { Tool } from "./tool-schema.js";

const callFields = { call_id: z.string().min(1), name: z.string().min(1), namespace: z.string().nullish() };
const parts = z.array(z.looseObject({ text: z.string() })).nullish();

const known = [
  z.looseObject({
    type: z.literal("message"),
    role: z.enum(["user", "assistant", "system", "developer"]),
    content: Content,
  }),
  z.looseObject({ type: z.literal("function_call"), ...callFields, arguments: z.string() }),
  z.looseObject({ type: z.literal("custom_tool_call"), ...callFields, input: z.string() }),
  z.looseObject({
    type: z.literal(["function_call_output", "custom_tool_call_output"]),
    call_id: z.string().min(1),
    output: Content,
  }),
  z.looseObject({
    type: z.literal("reasoning"),
    summary: parts,
    content: parts,
    encrypted_content: z.string().nullish(),
  }),
  z.looseObject({ type: z.literal("additional_tools"), tools: z.array(Tool) }),
  // Codex has three names for it.
  z
    .looseObject({
      type: z.literal(["compaction", "compaction_summary", "context_compaction"]),
      encrypted_content: z.string(),
    })
    .transform(({ encrypted_content }) => ({ type: "compaction" as const, encrypted_content })),
] as const;

const knownTypes = [
  "message",
  "function_call",
  "custom_tool_call",
  "function_call_output",
  "custom_tool_call_output",
  "reasoning",
  "additional_tools",
  "compaction",
  "compaction_summary",
  "context_compaction",
];

/** A message may come without its type. */
function withType(item: unknown): unknown {
  return typeof item === "object" && item !== null && "role" in item && !("type" in item)
    ? { type: "message", ...item }
    : item;
}

const Item = z.preprocess(withType, z.union([z.discriminatedUnion("type", known), otherThan(knownTypes)]));

/** Named as in the request, so that a problem is told by the path that the client knows. */
export const Input = z.object({ input: z.array(Item) });

export type Item = z.infer<typeof Item>;
