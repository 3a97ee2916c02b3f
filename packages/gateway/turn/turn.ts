import type { CallBlock, InputBlock, SentBlock, TextBlock, ThinkingBlock, ToolResult } from "./blocks.js";
import type { SideRequest } from "./events/channels.js";

export interface UserMessage<Block extends InputBlock = InputBlock> {
  role: "user";
  content: readonly Block[];
}

export interface AssistantMessage {
  role: "assistant";
  content: readonly (TextBlock | ThinkingBlock | CallBlock)[];
}

interface ToolMessage<Block extends InputBlock = InputBlock> {
  role: "tool";
  results: readonly ToolResult<Block>[];
}

export type Message<Block extends InputBlock = InputBlock> = UserMessage<Block> | AssistantMessage | ToolMessage<Block>;

export type SentMessage = Message<SentBlock>;

export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
}

export type ToolChoice = { type: "auto" } | { type: "none" } | { type: "required" } | { type: "tool"; name: string };

export type AnswerFormat =
  | { type: "json" }
  | {
      type: "json-schema";
      name: string;
      schema: Readonly<Record<string, unknown>>;
      /** The path of the schema in the request, for errors about it. */
      param: string;
    };

/** An MCP server that the vendor would run for the request, with the request's terms. */
export interface NamedMcpServer {
  readonly label: string;
  readonly url: string | undefined;
  /** Names of tools. All are allowed when absent. */
  readonly allow?: ReadonlySet<string> | undefined;
  readonly deny?: ReadonlySet<string> | undefined;
  /** Why none of its tools may run on these terms. */
  readonly problem?: string | undefined;
}

export interface Turn<Block extends InputBlock = InputBlock> {
  /** The name as the client wrote it. The gateway resolves it to a model of Cursor. */
  model: string;
  /** All system and developer text, joined. Empty when there is none. */
  system: string;
  messages: readonly Message<Block>[];
  tools: readonly ToolDefinition[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  /** How hard the model should think, in the client's own word ("low", "high", ...). */
  effort?: string;
  /** The reply ends before the first of these that the model writes. */
  stop?: readonly string[];
  maxTokens?: number;
  /** Any text is accepted when absent. */
  format?: AnswerFormat;
  /** Makes the ids of calls, in dialects that do not show them: the front must find the same ids in the next request. */
  newCallId?: () => string;
  /** The arguments of a call as the client will send them back, in dialects that give some calls another shape. */
  asReturned?: (name: string, input: string) => string;
  /** Set by a front that asks by itself, for a client. */
  side?: SideRequest;
  /** The absolute path of the folder on this machine that the turn is about, if the request names one. */
  workspace?: string;
  /** The vendor's web tool that the request offers, such as `web_search`. */
  webTool?: string | undefined;
  mcpServers?: readonly NamedMcpServer[];
  /** Warnings about what the client asked for and this front cannot provide. */
  warnings: readonly string[];
}

/** A turn as a backend gets it. Its messages are those that upstream does not know yet. */
export type SentTurn = Turn<SentBlock>;
