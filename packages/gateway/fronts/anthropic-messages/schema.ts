import { z } from "zod";
import { documentText, type InputBlock, joinText } from "../../turn/blocks.js";
import { MAX_MCP_SERVERS } from "../../turn/request-limits.js";
import type { NamedMcpServer } from "../../turn/turn.js";
import { NO_STORE, parseImageUrl, parseSource } from "../parts/attachment.js";
import { eachOnce, ModelName, orLeftOut, orProblem, ToolSchema } from "../parts/request-schema.js";
import { isPublished, PublishedTool } from "./published-tools.js";

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
/** The result of the client's own search among deferred tools. */
const ToolReference = z.looseObject({ type: z.literal("tool_reference"), tool_name: z.string() });

const inputs = [
  Text,
  Image.transform(({ source }) => attached([source])),
  Document.transform(orProblem(parseDocument)),
  SearchResult.transform(({ source, title, content }) =>
    attached([documentText(joinText(content), `${title} (${source})`)]),
  ),
  ToolReference.transform(({ tool_name: loads }) => ({
    ...attached([{ type: "text", text: `The tool ${loads} can be called now.\n` }]),
    loads,
  })),
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
/** Encrypted thinking that only its vendor can read. */
const RedactedThinking = z.looseObject({ type: z.literal("redacted_thinking") });

/** The remaining block types are unknown to the gateway, for instance the results of tools on Anthropic's own servers. */
export const Block = orLeftOut(
  z.discriminatedUnion("type", [...inputs, ToolResult, ToolUse, Thinking, RedactedThinking]),
);

export type Block = z.infer<typeof Block>;

interface Attached {
  readonly type: "attached";
  readonly blocks: readonly InputBlock[];
  /** The deferred tool that the model may call from here on. */
  readonly loads?: string;
}

function attached(blocks: readonly InputBlock[]): Attached {
  return { type: "attached", blocks };
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

const Content = z.union([z.string(), z.array(Block)]).nullish();

const Message = z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: Content });

/** Tools that Anthropic runs, and sets of tools, each under a dated type of its own. */
const OtherTool = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => type !== "custom" && type !== "mcp_toolset" && !isPublished(type), { abort: true })
  .transform(({ type, max_uses, allowed_domains, blocked_domains }) => {
    const hasLimits = Boolean(max_uses || allowed_domains || blocked_domains);
    return { type: "left-out" as const, name: type.slice(0, 40), hasLimits };
  });
const Switch = z.looseObject({ enabled: z.boolean().nullish() }).nullish();
const McpToolset = z
  .looseObject({
    type: z.literal("mcp_toolset"),
    mcp_server_name: z.string(),
    default_config: Switch,
    configs: z.record(z.string(), Switch).nullish(),
  })
  .transform(({ mcp_server_name, default_config, configs }) => {
    const isOn = default_config?.enabled !== false;
    const others = Object.entries(configs ?? {}).flatMap(([name, config]) =>
      (config?.enabled ?? isOn) === isOn ? [] : [name],
    );
    const terms = isOn ? { deny: new Set(others) } : { allow: new Set(others) };
    return { type: "mcp-toolset" as const, server: mcp_server_name, terms };
  });
const McpServer = z
  .looseObject({
    name: z.string().min(1),
    url: z.string().nullish(),
    tool_configuration: z
      .looseObject({ enabled: z.boolean().nullish(), allowed_tools: z.array(z.string()).nullish() })
      .nullish(),
  })
  .transform(({ name, url, tool_configuration }): NamedMcpServer => {
    const names = tool_configuration?.enabled === false ? [] : tool_configuration?.allowed_tools;
    return { label: name, url: url ?? undefined, allow: names ? new Set(names) : undefined };
  });
const ClientTool = z.looseObject({
  type: z.literal("custom").nullish(),
  name: z.string().min(1),
  description: z.string().nullish(),
  input_schema: ToolSchema.nullish(),
  defer_loading: z.boolean().nullish(),
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const ToolChoice = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal(["auto", "any", "none"]), ...parallel }),
  z.looseObject({ type: z.literal("tool"), name: z.string().min(1), ...parallel }),
]);

const Format = z.looseObject({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) }).nullish();

export const MessagesRequest = z.looseObject({
  model: ModelName,
  max_tokens: z.int().min(1, "must be 1 or more"),
  messages: eachOnce(Message),
  system: Content,
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: eachOnce(z.union([ClientTool, PublishedTool, McpToolset, OtherTool])).nullish(),
  tool_choice: ToolChoice.nullish(),
  thinking: z
    .looseObject({ type: z.string(), budget_tokens: z.number().nullish(), display: z.string().nullish() })
    .nullish(),
  output_config: z.looseObject({ effort: z.string().nullish(), format: Format }).nullish(),
  /** The location of the format before `output_config` existed. */
  output_format: Format,
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  mcp_servers: z.array(McpServer).max(MAX_MCP_SERVERS, `must name at most ${MAX_MCP_SERVERS} servers`).nullish(),
  container: z.unknown().optional(),
  speed: z.string().nullish(),
  fallbacks: z.unknown().optional(),
  diagnostics: z.looseObject({ previous_message_id: z.string().nullish() }).nullish(),
  compaction: z.unknown().optional(),
});

/** The same request, with an optional limit for the answer. */
export const CountRequest = MessagesRequest.extend({ max_tokens: MessagesRequest.shape.max_tokens.default(1) });

export type MessagesRequest = z.infer<typeof MessagesRequest>;
