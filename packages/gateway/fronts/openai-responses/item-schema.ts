import { z } from "zod";
import type { InputBlock } from "../../turn/blocks.js";
import { fileFields, parseFile, parseImageUrl } from "../parts/attachment.js";
import { Audio, eachOnce, type LeftOut, orLeftOut, orProblem, Refusal, toTextBlock } from "../parts/request-schema.js";
import { imageFields, publishedOutputs, readImage } from "./published-outputs.js";
import { sentCalls } from "./published-tools.js";
import { Tool } from "./schema.js";

const Text = z
  .looseObject({
    type: z.literal(["input_text", "output_text", "text", "summary_text", "reasoning_text"]),
    text: z.string(),
  })
  .transform(({ text }): InputBlock => toTextBlock(text));
const Image = z.looseObject({ type: z.literal("input_image"), ...imageFields }).transform(readImage);
/** The part of Chat Completions, which LangChain sends here too. */
const ChatImage = z
  .looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) })
  .transform(orProblem(({ image_url }) => parseImageUrl(image_url.url)));
const File = z
  .looseObject({
    type: z.literal("input_file"),
    ...fileFields,
    file_url: z.string().nullish(),
  })
  .transform(orProblem(parseFile));
const Content = z.union([
  z.string().transform((text): (InputBlock | LeftOut)[] => (text === "" ? [] : [toTextBlock(text)])),
  z.array(orLeftOut(z.discriminatedUnion("type", [Text, Refusal, Image, ChatImage, File, Audio]))),
]);

const callFields = { call_id: z.string().min(1), name: z.string().min(1), namespace: z.string().nullish() };
const parts = z.array(z.looseObject({ text: z.string() })).nullish();

const Known = z.discriminatedUnion("type", [
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
  ...sentCalls,
  ...publishedOutputs,
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
]);

/** A message may come without its type. */
function withType(item: unknown): unknown {
  return typeof item === "object" && item !== null && "role" in item && !("type" in item)
    ? { type: "message", ...item }
    : item;
}

export const Item = z.preprocess(withType, orLeftOut(Known));

/** The fields are named as in the request, so that an error has the path that the client knows. */
export const Input = z.object({ input: eachOnce(Item) });

export type Item = z.infer<typeof Item>;
