import { createHash } from "node:crypto";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { yieldToOthers } from "../../clock.js";
import {
  AgentConversationTurnStructureSchema,
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from "../../gen/agent_v1_pb.js";
import { joinText, type SentBlock } from "../../turn/blocks.js";
import { isDeeperThan } from "../../turn/json-depth.js";
import { MAX_JSON_DEPTH } from "../../turn/request-limits.js";
import type { AssistantMessage, SentMessage, ToolMessage, UserMessage } from "../../turn/turn.js";
import type { BlobStore } from "./blobs.js";

/** Messages that are written in one go; each takes up to 0.1 ms. */
const AT_ONCE = 200;

/**
 * The conversation state for messages that Cursor has not seen from us, on top of a state that it gave us if there is one.
 * The model reads the root entries; the turns are Cursor's own record of the same. Equal messages always give equal bytes,
 * so a rebuild meets Cursor's caches.
 */
export async function encodeHistory(
  messages: readonly SentMessage[],
  blobs: BlobStore,
  onTopOf: Uint8Array = new Uint8Array(),
): Promise<Uint8Array> {
  const toolNames = new Map<string, string>();
  const roots: Uint8Array[] = [];
  const putJson = (entry: unknown) => {
    roots.push(blobs.put(Buffer.from(JSON.stringify(entry))));
  };
  for (const [at, message] of messages.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    switch (message.role) {
      case "user":
        putJson(userEntry(message));
        break;
      case "assistant":
        for (const block of message.content) if (block.type === "call") toolNames.set(block.id, block.name);
        putJson(assistantEntry(message, roots.length));
        break;
      case "tool":
        for (const entry of toolEntries(message, toolNames)) putJson(entry);
        break;
    }
  }
  const state = fromBinary(ConversationStateStructureSchema, onTopOf);
  // One by one: there may be more than a call takes as arguments.
  for (const root of roots) state.rootPromptMessagesJson.push(root);
  for (const turn of await encodeTurns(messages, blobs)) state.turns.push(turn);
  return toBinary(ConversationStateStructureSchema, state);
}

function userEntry(message: UserMessage<SentBlock>): unknown {
  return {
    role: "user",
    content: message.content.flatMap((block): object[] => {
      if (block.type === "text") return [{ type: "text", text: `<user_query>\n${block.text}\n</user_query>` }];
      return [{ type: "image", image: Buffer.from(block.data).toString("base64"), mimeType: block.mimeType }];
    }),
  };
}

function assistantEntry(message: AssistantMessage, position: number): unknown {
  return { role: "assistant", id: String(position), content: message.content.map(assistantPart) };
}

function assistantPart(block: AssistantMessage["content"][number]): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "reasoning", text: block.text, ...(block.signature && { signature: block.signature }) };
    case "call":
      return { type: "tool-call", toolCallId: block.id, toolName: block.name, args: parseArguments(block.input) };
  }
}

function toolEntries(message: ToolMessage<SentBlock>, toolNames: ReadonlyMap<string, string>): unknown[] {
  return message.results.map((result) => ({
    role: "tool",
    id: result.callId,
    content: [
      {
        type: "tool-result",
        toolCallId: result.callId,
        toolName: toolNames.get(result.callId) ?? "tool",
        result: result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join(""),
        // Beside the text, as Cursor's own entries have it; the text alone would be all that is left of an image.
        ...(result.content.some(({ type }) => type === "image") && {
          experimental_content: result.content.map(resultPart),
        }),
        ...(result.isError && { isError: true }),
      },
    ],
  }));
}

function resultPart(block: SentBlock): unknown {
  if (block.type === "text") return block;
  return { type: "image", data: Buffer.from(block.data).toString("base64"), mimeType: block.mimeType };
}

/** A model's arguments are JSON nearly always; where they are not, or go too deep, the text itself is what was called. */
function parseArguments(input: string): unknown {
  try {
    const args: unknown = JSON.parse(input || "{}");
    return isDeeperThan(args, MAX_JSON_DEPTH) ? { input } : args;
  } catch {
    return { input };
  }
}

/** One turn per user message, with the assistant's words as its steps. */
async function encodeTurns(messages: readonly SentMessage[], blobs: BlobStore): Promise<Uint8Array[]> {
  const turns: { userMessage: Uint8Array; steps: Uint8Array[] }[] = [];
  for (const [position, message] of messages.entries()) {
    if (position % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    if (message.role === "user") {
      const text = joinText(message.content);
      const userMessage = create(UserMessageSchema, { text, messageId: stableId(position, text) });
      turns.push({ userMessage: blobs.put(toBinary(UserMessageSchema, userMessage)), steps: [] });
    } else if (message.role === "assistant") {
      const text = joinText(message.content);
      if (text === "") continue;
      const step = create(ConversationStepSchema, { message: { case: "assistantMessage", value: { text } } });
      turns.at(-1)?.steps.push(blobs.put(toBinary(ConversationStepSchema, step)));
    }
  }
  const ids: Uint8Array[] = [];
  for (const turn of turns) {
    if (ids.length % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    const structure = create(ConversationTurnStructureSchema, {
      turn: { case: "agentConversationTurn", value: create(AgentConversationTurnStructureSchema, turn) },
    });
    ids.push(blobs.put(toBinary(ConversationTurnStructureSchema, structure)));
  }
  return ids;
}

/** A UUID that depends on nothing but the message and its place. */
function stableId(position: number, text: string): string {
  const hex = createHash("sha256").update(`${position} ${text}`).digest("hex");
  return [8, 4, 4, 4, 12].map((length, part) => hex.slice(part * 12, part * 12 + length)).join("-");
}
