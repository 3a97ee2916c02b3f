import type { TextBlock } from "../../packages/gateway/turn/blocks.js";
import type { CheckpointEvent, TurnEvent } from "../../packages/gateway/turn/event.js";
import { RequestRecord } from "../../packages/gateway/turn/events/channels.js";
import type { AssistantMessage, Message, ToolDefinition, UserMessage } from "../../packages/gateway/turn/turn.js";

export const user = (...texts: string[]): UserMessage<TextBlock> => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});

/** What the model said, if it said anything, and calls with these ids. */
export const assistant = (text: string, ...callIds: string[]): AssistantMessage => ({
  role: "assistant",
  content: [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...callIds.map((id) => ({ type: "call" as const, id, name: "tool", input: "{}" })),
  ],
});

export const results = (...callIds: string[]): Message => ({
  role: "tool",
  results: callIds.map((callId) => ({ callId, content: [], isError: false })),
});

export const tool = (name: string): ToolDefinition => ({ name, description: "", inputSchema: {} });

export const text = (delta: string): TurnEvent => ({ type: "text", delta });
export const thinking = (delta: string): TurnEvent => ({ type: "thinking", delta });
export const settled: CheckpointEvent = { type: "checkpoint", state: Buffer.of(1), phase: "settled" };
export const stopped: TurnEvent = { type: "finish", reason: "stop" };
export const called: TurnEvent = { type: "finish", reason: "tool-calls" };

/** The events of a whole call. */
export const callOf = (id: string, name = "tool", input = "{}"): TurnEvent[] => [
  { type: "call", id, name, runs: "client" },
  { type: "call-input", id, delta: input },
  { type: "call-end", id },
];

/** A request of a client that stays. */
export const runContext = () => ({ record: new RequestRecord("g", "r", 0), signal: new AbortController().signal });
