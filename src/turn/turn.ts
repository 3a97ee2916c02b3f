import type { CallBlock, InputBlock, SentBlock, TextBlock, ThinkingBlock, ToolResult } from "./blocks.js";

export interface UserMessage<Block extends InputBlock = InputBlock> {
  role: "user";
  content: readonly Block[];
}

export interface AssistantMessage {
  role: "assistant";
  content: readonly (TextBlock | ThinkingBlock | CallBlock)[];
}

/** The results that came back together after one assistant message. */
interface ToolMessage<Block extends InputBlock = InputBlock> {
  role: "tool";
  results: readonly ToolResult<Block>[];
}

export type Message<Block extends InputBlock = InputBlock> = UserMessage<Block> | AssistantMessage | ToolMessage<Block>;

/** One as a backend gets it. */
export type SentMessage = Message<SentBlock>;

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Readonly<Record<string, unknown>>;
}

export type ToolChoice = { type: "auto" } | { type: "none" } | { type: "required" } | { type: "tool"; name: string };

/** What the answer must be, besides text. */
export type AnswerFormat =
  | { type: "json" }
  | {
      type: "json-schema";
      name: string;
      schema: Readonly<Record<string, unknown>>;
      /** Where in the request the schema stands, for words about one that is of no use. */
      param: string;
    };

/** One request of a client, whatever dialect it came in. */
export interface Turn<Block extends InputBlock = InputBlock> {
  /** As the client wrote it; the gateway finds out which model of Cursor is meant. */
  model: string;
  /** All system and developer text, joined; empty when there is none. */
  system: string;
  messages: readonly Message<Block>[];
  tools: readonly ToolDefinition[];
  toolChoice: ToolChoice;
  /** Whether one reply may hold several calls. */
  parallelToolCalls: boolean;
  /** How hard the model should think, in the client's own word ("low", "high", ...). */
  effort?: string;
  /** The reply ends before the first of these that the model writes. */
  stop?: readonly string[];
  /** Output tokens after which the reply is cut off. */
  maxTokens?: number;
  /** Anything goes when absent. */
  format?: AnswerFormat;
  /** The folder on this machine that the turn is about, by its absolute path, where the request names one. */
  workspace?: string;
  /** What the client asked for and this road cannot give, each as a sentence. */
  warnings: readonly string[];
}

/** One as a backend gets it: its messages are what the upstream does not know yet. */
export type SentTurn = Turn<SentBlock>;
