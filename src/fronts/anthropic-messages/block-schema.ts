import { z } from "zod";
import { type InputBlock, joinText } from "../../turn/blocks.js";
import { documentText } from "../../turn/document-text.js";
import { NO_STORE, parseImageUrl, parseSource } from "../parts/attachment.js";
import { orLeftOut, orProblem } from "../parts/request-schema.js";

const Base64 = z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() });
const Url = z.looseObject({ type: z.literal("url"), url: z.string() });
const File = z.looseObject({ type: z.literal("file") });

const ImageSource = z.discriminatedUnion("type", [Base64, Url, File]).transform(
  orProblem((source) => {
    if (source.type === "file") return { problem: NO_STORE };
    return parseImageUrl(source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`);
  }),
);

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });
const Image = z.looseObject({ type: z.literal("image"), source: ImageSource });

const PlainText = z.looseObject({ type: z.literal("text"), data: z.string() });
const Nested = z.looseObject({
  type: z.literal("content"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [Text, Image]))]),
});
const Document = z.looseObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [Base64, PlainText, Nested, Url, File]),
  title: z.string().nullish(),
  context: z.string().nullish(),
});
const SearchResult = z.looseObject({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: z.array(Text),
});
/** The result of a search among deferred tools. The gateway offers all tools from the start. */
const ToolReference = z.looseObject({ type: z.literal("tool_reference"), tool_name: z.string() });

const inputs = [
  Text,
  Image.transform(({ source }) => attached([source])),
  Document.transform(orProblem(parseDocument)),
  SearchResult.transform(({ source, title, content }) =>
    attached([documentText(joinText(content), `${title} (${source})`)]),
  ),
  ToolReference.transform(({ tool_name }) =>
    attached([{ type: "text", text: `The tool ${tool_name} can be called now.\n` }]),
  ),
] as const;

const ToolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(orLeftOut(z.discriminatedUnion("type", inputs)))]).nullish(),
  is_error: z.boolean().nullish(),
});
const ToolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.unknown().optional(),
});
const Thinking = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().nullish(),
});
/** Sealed thinking that only its maker can read. */
const RedactedThinking = z.looseObject({ type: z.literal("redacted_thinking") });

/** The remaining block types are unknown to the gateway, for instance the results of tools on Anthropic's own servers. */
export const Block = orLeftOut(
  z.discriminatedUnion("type", [...inputs, ToolResult, ToolUse, Thinking, RedactedThinking]),
);

export type Block = z.infer<typeof Block>;

function attached(blocks: readonly InputBlock[]) {
  return { type: "attached" as const, blocks };
}

function parseDocument({ source, title, context }: z.infer<typeof Document>) {
  const about: InputBlock[] = context ? [{ type: "text", text: `\n${context}\n` }] : [];
  if (source.type === "content") return attached([...about, ...toBlocks(source.content, title ?? undefined)]);
  const parsed = parseSource(source, title);
  return "problem" in parsed ? parsed : attached([...about, parsed]);
}

function toBlocks(content: z.infer<typeof Nested>["content"], title: string | undefined): InputBlock[] {
  if (typeof content === "string") return [documentText(content, title)];
  const images = content.flatMap((block) => (block.type === "image" ? [block.source] : []));
  return [documentText(joinText(content), title), ...images];
}
