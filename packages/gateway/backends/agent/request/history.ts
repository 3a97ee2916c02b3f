import { hash } from "node:crypto";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConversationStateStructureSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { joinText, type SentBlock, type SentResult } from "../../../turn/blocks.js";
import { isDeeperThan } from "../../../turn/canonical.js";
import { parseJson } from "../../../turn/read-json.js";
import { MAX_JSON_DEPTH } from "../../../turn/request-limits.js";
import { type SlicedWork, Slices } from "../../../turn/slices.js";
import type { AssistantMessage, SentMessage, UserMessage } from "../../../turn/turn.js";
import type { BlobStore } from "./blobs.js";

// A long conversation has thousands of these messages, so they are written field by field: building the generated messages first
// takes five times as long. A test compares the bytes with those of the generated code. The field numbers are those of
// docs/protocol/wire.md, conversation state.
const stateFields = { roots: 1, turns: 8 };
const turnFields = { agentTurn: 1 };
const agentTurnFields = { userMessage: 1, steps: 2 };
const userMessageFields = { text: 1, messageId: 2 };
const stepFields = { assistantMessage: 1 };
const assistantMessageFields = { text: 1 };

/**
 * Encodes messages that Cursor has not seen from us as a conversation state, on top of a state from Cursor if there is one. The
 * model reads the root entries; the turns are Cursor's own copy of the same (docs/protocol/wire.md, conversation state). Equal
 * messages always give equal bytes, so a rebuilt state hits Cursor's caches.
 */
export function* encodeHistory(
  messages: readonly SentMessage[],
  blobs: BlobStore,
  onTopOf: Uint8Array = new Uint8Array(),
  wireName: (tool: string) => string = (tool) => tool,
): SlicedWork<Uint8Array> {
  const toolNames = new Map<string, string>();
  const roots: Uint8Array[] = [];
  const putJson = (entry: () => unknown) => {
    roots.push(blobs.put(() => Buffer.from(JSON.stringify(entry()))));
  };
  const slices = new Slices();
  for (const message of messages) {
    if (slices.isFullBefore(message)) yield;
    switch (message.role) {
      case "user":
        putJson(() => userEntry(message));
        break;
      case "assistant": {
        for (const block of message.content) if (block.type === "call") toolNames.set(block.id, wireName(block.name));
        const position = roots.length;
        const parts = () => message.content.map((block) => assistantPart(block, wireName));
        putJson(() => ({ role: "assistant", id: String(position), content: parts() }));
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
  return encodeState(roots, yield* encodeTurns(messages, blobs, slices), onTopOf);
}

function encodeState(roots: readonly Uint8Array[], turns: readonly Uint8Array[], onTopOf: Uint8Array): Uint8Array {
  if (onTopOf.length === 0) {
    const fields = roots.map((root): Field => [stateFields.roots, root]);
    for (const turn of turns) fields.push([stateFields.turns, turn]);
    return encodeFields(fields);
  }
  const state = fromBinary(ConversationStateStructureSchema, onTopOf);
  // One by one, because there may be more entries than a call takes as arguments.
  for (const root of roots) state.rootPromptMessagesJson.push(root);
  for (const turn of turns) state.turns.push(turn);
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

function assistantPart(block: AssistantMessage["content"][number], wireName: (tool: string) => string): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "reasoning", text: block.text, ...(block.signature && { signature: block.signature }) };
    case "call": {
      const parsed = parseJson(block.input || "{}");
      // A model's arguments are nearly always JSON. Where they are not, or nest too deep, the text itself is passed on.
      const args = parsed === undefined || isDeeperThan(parsed, MAX_JSON_DEPTH) ? { input: block.input } : parsed;
      return { type: "tool-call", toolCallId: block.id, toolName: wireName(block.name), args };
    }
  }
}

function toolEntry({ callId, content, isError }: SentResult, toolName: string): unknown {
  const parts = () =>
    content.map((block) =>
      block.type === "text"
        ? block
        : { type: "image", data: Buffer.from(block.data).toString("base64"), mimeType: block.mimeType },
    );
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
        ...(content.some(({ type }) => type === "image") && { experimental_content: parts() }),
        ...(isError && { isError: true }),
      },
    ],
  };
}

interface EncodedTurn {
  readonly userMessage: Uint8Array;
  readonly steps: Uint8Array[];
}

/** Encodes one turn per user message, with the assistant's words as its steps. */
function* encodeTurns(messages: readonly SentMessage[], blobs: BlobStore, slices: Slices): SlicedWork<Uint8Array[]> {
  const turns: EncodedTurn[] = [];
  for (const [position, message] of messages.entries()) {
    if (slices.isFullBefore(message)) yield;
    if (message.role === "user") {
      turns.push({ userMessage: blobs.put(() => encodeUserMessage(message, position)), steps: [] });
    } else if (message.role === "assistant" && joinText(message.content) !== "") {
      turns.at(-1)?.steps.push(blobs.put(() => encodeStep(message)));
    }
  }
  const ids: Uint8Array[] = [];
  for (const turn of turns) {
    if (slices.isFullBeforeText(0)) yield;
    ids.push(blobs.put(() => encodeTurn(turn)));
  }
  return ids;
}

function encodeTurn({ userMessage, steps }: EncodedTurn): Uint8Array {
  const fields: Field[] = [[agentTurnFields.userMessage, userMessage]];
  for (const step of steps) fields.push([agentTurnFields.steps, step]);
  return encodeFields([[turnFields.agentTurn, encodeFields(fields)]]);
}

function encodeUserMessage({ content }: UserMessage<SentBlock>, position: number): Uint8Array {
  const text = joinText(content);
  const messageId: Field = [userMessageFields.messageId, stableId(position, text)];
  return encodeFields(text === "" ? [messageId] : [[userMessageFields.text, text], messageId]);
}

function encodeStep({ content }: AssistantMessage): Uint8Array {
  const message = encodeFields([[assistantMessageFields.text, joinText(content)]]);
  return encodeFields([[stepFields.assistantMessage, message]]);
}

/** A UUID that depends on nothing but the message and its position. */
function stableId(position: number, text: string): string {
  const hex = hash("sha256", `${position} ${text}`, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(12, 16)}-${hex.slice(24, 28)}-${hex.slice(36, 40)}-${hex.slice(48, 60)}`;
}

/** A field of a protobuf message that is a text, some bytes or an encoded message, by its number. */
type Field = readonly [number: number, value: string | Uint8Array];

const LENGTH_DELIMITED = 2;
/** The tag, which is one byte because all numbers are below 16, and the longest varint for a length. */
const MAX_HEAD_BYTES = 6;

function encodeFields(fields: readonly Field[]): Buffer {
  const lengths = fields.map(([, value]) => (typeof value === "string" ? Buffer.byteLength(value) : value.length));
  const bytes = Buffer.allocUnsafe(lengths.reduce((size, length) => size + MAX_HEAD_BYTES + length, 0));
  let at = 0;
  for (const [index, [number, value]] of fields.entries()) {
    const length = lengths[index] ?? 0;
    bytes[at++] = (number << 3) | LENGTH_DELIMITED;
    let rest = length;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
    if (typeof value === "string") bytes.write(value, at, length);
    else bytes.set(value, at);
    at += length;
  }
  return bytes.subarray(0, at);
}
