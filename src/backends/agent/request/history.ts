import { hash } from "node:crypto";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { yieldToOthers } from "../../../clock.js";
import {
  AgentConversationTurnStructureSchema,
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from "../../../gen/agent_v1_pb.js";
import { joinText, type SentBlock, type SentResult } from "../../../turn/blocks.js";
import { isDeeperThan } from "../../../turn/json-depth.js";
import { parseJson } from "../../../turn/read-json.js";
import { MAX_JSON_DEPTH } from "../../../turn/request-limits.js";
import type { AssistantMessage, SentMessage, UserMessage } from "../../../turn/turn.js";
import type { BlobStore } from "./blobs.js";

/** The number of messages that are encoded without a break; each takes up to 0.1 ms. */
const AT_ONCE = 200;

/**
 * Encodes messages that Cursor has not seen from us as a conversation state, on top of a state from Cursor if there is one. The
 * model reads the root entries; the turns are Cursor's own copy of the same (docs/protocol/wire.md, conversation state). Equal
 * messages always give equal bytes, so a rebuilt state meets Cursor's caches.
 */
export async function encodeHistory(
  messages: readonly SentMessage[],
  blobs: BlobStore,
  onTopOf: Uint8Array = new Uint8Array(),
): Promise<Uint8Array> {
  const toolNames = new Map<string, string>();
  const roots: Uint8Array[] = [];
  const putJson = (entry: () => unknown) => {
    roots.push(blobs.put(() => Buffer.from(JSON.stringify(entry()))));
  };
  for (const [at, message] of messages.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    switch (message.role) {
      case "user":
        putJson(() => userEntry(message));
        break;
      case "assistant": {
        for (const block of message.content) if (block.type === "call") toolNames.set(block.id, block.name);
        const position = roots.length;
        putJson(() => assistantEntry(message, position));
        break;
      }
      case "tool":
        for (const result of message.results) {
          const toolName = toolNames.get(result.callId) ?? "tool";
          putJson(() => toolEntry(result, toolName));
        }
        break;
    }
  }
  const state = fromBinary(ConversationStateStructureSchema, onTopOf);
  // One by one, because there may be more entries than a call takes as arguments.
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

function toolEntry({ callId, content, isError }: SentResult, toolName: string): unknown {
  return {
    role: "tool",
    id: callId,
    content: [
      {
        type: "tool-result",
        toolCallId: callId,
        toolName,
        result: content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join(""),
        // Images stand beside the text, as in Cursor's own entries; with the text alone an image would be lost.
        ...(content.some(({ type }) => type === "image") && { experimental_content: content.map(resultPart) }),
        ...(isError && { isError: true }),
      },
    ],
  };
}

function resultPart(block: SentBlock): unknown {
  if (block.type === "text") return block;
  return { type: "image", data: Buffer.from(block.data).toString("base64"), mimeType: block.mimeType };
}

/** A model's arguments are nearly always JSON. Where they are not, or nest too deep, the text itself is passed on. */
function parseArguments(input: string): unknown {
  const args = parseJson(input || "{}");
  return args === undefined || isDeeperThan(args, MAX_JSON_DEPTH) ? { input } : args;
}

/** Encodes one turn per user message, with the assistant's words as its steps. */
async function encodeTurns(messages: readonly SentMessage[], blobs: BlobStore): Promise<Uint8Array[]> {
  const turns: { userMessage: Uint8Array; steps: Uint8Array[] }[] = [];
  for (const [position, message] of messages.entries()) {
    if (position % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    if (message.role === "user") {
      turns.push({ userMessage: blobs.put(() => encodeUserMessage(message, position)), steps: [] });
    } else if (message.role === "assistant" && joinText(message.content) !== "") {
      turns.at(-1)?.steps.push(blobs.put(() => encodeStep(message)));
    }
  }
  const ids: Uint8Array[] = [];
  for (const turn of turns) {
    if (ids.length % AT_ONCE === AT_ONCE - 1) await yieldToOthers();
    const structure = create(ConversationTurnStructureSchema, {
      turn: { case: "agentConversationTurn", value: create(AgentConversationTurnStructureSchema, turn) },
    });
    ids.push(blobs.put(() => toBinary(ConversationTurnStructureSchema, structure)));
  }
  return ids;
}

function encodeUserMessage({ content }: UserMessage<SentBlock>, position: number): Uint8Array {
  const text = joinText(content);
  return toBinary(UserMessageSchema, create(UserMessageSchema, { text, messageId: stableId(position, text) }));
}

function encodeStep({ content }: AssistantMessage): Uint8Array {
  const message = { case: "assistantMessage" as const, value: { text: joinText(content) } };
  return toBinary(ConversationStepSchema, create(ConversationStepSchema, { message }));
}

/** A UUID that depends on nothing but the message and its position. */
function stableId(position: number, text: string): string {
  const hex = hash("sha256", `${position} ${text}`, "hex");
  return [8, 4, 4, 4, 12].map((length, part) => hex.slice(part * 12, part * 12 + length)).join("-");
}
