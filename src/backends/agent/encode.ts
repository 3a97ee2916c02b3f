import { randomUUID } from "node:crypto";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  AgentClientMessageSchema,
  AgentRunRequestSchema,
  type ConversationAction,
  ConversationActionSchema,
  type ExecClientMessage,
  ExecClientMessageSchema,
  type SelectedImage,
  SelectedImageSchema,
} from "../../gen/agent_v1_pb.js";
import { joinText, type SentBlock } from "../../turn/blocks.js";
import type { SentMessage, ToolDefinition, UserMessage } from "../../turn/turn.js";
import type { RequestedModel } from "../backend.js";
import type { BlobStore } from "./blobs.js";
import { encodeEnvelope } from "./envelope.js";
import { encodeHistory } from "./history.js";
import { writeTools } from "./tool-definitions.js";

const RUN_REQUEST_FIELD = 1; // AgentClientMessage.run_request
const STATE_FIELD = 1; // AgentRunRequest.conversation_state
const TOOLS_FIELD = 4; // AgentRunRequest.mcp_tools
const EXEC_MESSAGE_FIELD = 2; // AgentClientMessage.exec_client_message
const EXEC_ID_FIELD = 1; // ExecClientMessage.id
const EXEC_TIME_FIELD = 39; // ExecClientMessage.local_execution_time_ms

export type ClientMessage = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;

export function encodeMessage(message: ClientMessage): Buffer {
  return encodeEnvelope(toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message })));
}

/** `3a 00` in its envelope: the one message that is sent over and over. */
export const heartbeatFrame: Buffer = encodeMessage({ case: "clientHeartbeat", value: {} });

export function encodeExecHeartbeat(id: number): Buffer {
  return encodeMessage({ case: "execClientControlMessage", value: { message: { case: "heartbeat", value: { id } } } });
}

/** Every answer tells how long it took, and is closed; streamed ones hang without that. */
export function encodeExecAnswer(
  id: number,
  messages: readonly ExecClientMessage["message"][],
  localExecutionTimeMs: number,
): Buffer[] {
  const close: ClientMessage = {
    case: "execClientControlMessage",
    value: { message: { case: "streamClose", value: { id } } },
  };
  return [
    ...messages.map((message) =>
      encodeMessage({ case: "execClientMessage", value: { id, message, localExecutionTimeMs } }),
    ),
    encodeMessage(close),
  ];
}

/** An answer without the number of its question. */
export function writeExecAnswer(message: ExecClientMessage["message"]): Uint8Array {
  return toBinary(ExecClientMessageSchema, create(ExecClientMessageSchema, { message }));
}

/** The same as `encodeExecAnswer` makes of it, from an answer that is written already. */
export function encodeWrittenAnswer(id: number, written: Uint8Array, localExecutionTimeMs: number): Buffer[] {
  const number = new BinaryWriter().tag(EXEC_ID_FIELD, WireType.Varint).uint32(id).finish();
  const time = new BinaryWriter().tag(EXEC_TIME_FIELD, WireType.Varint).int32(localExecutionTimeMs).finish();
  const length = number.length + written.length + time.length;
  const head = new BinaryWriter().tag(EXEC_MESSAGE_FIELD, WireType.LengthDelimited).uint32(length).finish();
  return [encodeEnvelope(head, number, written, time), ...encodeExecAnswer(id, [], localExecutionTimeMs)];
}

interface RunFacts {
  /** What is new, and what Cursor does not know of what was before. */
  messages: readonly SentMessage[];
  /** What it knows of that. */
  state: Uint8Array | undefined;
  tools: readonly ToolDefinition[];
  model: RequestedModel;
  conversationId: string;
  originalRequestId: string;
  blobs: BlobStore;
}

/** The first message of a stream: what was said before as state, what is new as action. */
export async function encodeRun(facts: RunFacts): Promise<Buffer> {
  const { messages, tools, model, conversationId, originalRequestId, blobs } = facts;
  const { id, parameters, isMax } = model;
  const newest = messages.at(-1);
  const isUserLast = newest?.role === "user";
  const before = isUserLast ? messages.slice(0, -1) : messages;
  const state =
    before.length === 0 && facts.state !== undefined ? facts.state : await encodeHistory(before, blobs, facts.state);
  const details = { modelId: id, displayModelId: id, displayName: id, displayNameShort: id };
  const run = new BinaryWriter()
    // As bytes, so that a checkpoint returns exactly as it came; it must be present even when empty.
    .tag(STATE_FIELD, WireType.LengthDelimited)
    .bytes(state)
    .raw(
      writeFields({
        action: isUserLast ? userAction(newest) : resumeAction(),
        // The older field for the model, which some accounts still want for the automatic choice.
        modelDetails: isMax ? { ...details, maxMode: true } : details,
      }),
    )
    // As bytes, since they are the same in all requests with these tools.
    .tag(TOOLS_FIELD, WireType.LengthDelimited)
    .bytes(writeTools(tools))
    .raw(
      writeFields({
        conversationId,
        requestedModel: { modelId: id, maxMode: isMax, parameters: parameters.map(({ id, value }) => ({ id, value })) },
        clientSupportsInlineImages: true,
        runId: originalRequestId,
      }),
    )
    .finish();
  return encodeEnvelope(new BinaryWriter().tag(RUN_REQUEST_FIELD, WireType.LengthDelimited).bytes(run).finish());
}

function writeFields(fields: MessageInitShape<typeof AgentRunRequestSchema>): Uint8Array {
  return toBinary(AgentRunRequestSchema, create(AgentRunRequestSchema, fields));
}

function userAction(message: UserMessage<SentBlock>): ConversationAction {
  const images = message.content.flatMap((block) => (block.type === "image" ? [encodeImage(block)] : []));
  return create(ConversationActionSchema, {
    action: {
      case: "userMessageAction",
      value: {
        userMessage: {
          text: joinText(message.content),
          ...(images.length > 0 && { selectedContext: { selectedImages: images } }),
        },
      },
    },
  });
}

/** For a transcript that ends with the model's own words or with results: nothing new is said, the model goes on. */
function resumeAction(): ConversationAction {
  return create(ConversationActionSchema, { action: { case: "resumeAction", value: {} } });
}

function encodeImage({ data, mimeType }: { data: Uint8Array; mimeType: string }): SelectedImage {
  return create(SelectedImageSchema, {
    dataOrBlobId: { case: "data", value: data },
    uuid: randomUUID(),
    mimeType,
  });
}
