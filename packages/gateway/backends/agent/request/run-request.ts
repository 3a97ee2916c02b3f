import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { SelectedContextSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { type ImageBlock, joinText, type SentBlock } from "../../../turn/blocks.js";
import type { SlicedWork } from "../../../turn/slices.js";
import type { SentMessage, ToolDefinition, UserMessage } from "../../../turn/turn.js";
import type { RequestedModel } from "../../backend.js";
import { encodeEnvelope } from "../../cursor/envelope.js";
import type { BlobStore } from "./blobs.js";
import { encodeHistory } from "./history.js";
import { writeTools } from "./tool-definitions.js";

// Every request encodes one run, so it is written field by field: building the generated messages first takes five times as long.
// A test compares the bytes with those of the generated code. The field numbers are those of docs/protocol/wire.md, run request.
const clientMessageFields = { runRequest: 1 };
const runFields = {
  state: 1,
  action: 2,
  modelDetails: 3,
  tools: 4,
  conversationId: 5,
  requestedModel: 9,
  supportsInlineImages: 19,
  runId: 25,
};
const actionFields = { userMessage: 1, resume: 2 };
const userMessageActionFields = { message: 1 };
const userMessageFields = { text: 1, selectedContext: 3 };
const modelDetailsFields = { id: 1, displayId: 3, displayName: 4, displayNameShort: 5, isMax: 7 };
const requestedModelFields = { id: 1, isMax: 2, parameters: 3, isVariant: 8 };
const parameterFields = { id: 1, value: 2 };

interface RunRequest {
  /** The new messages, and those before them that the state does not hold. */
  messages: readonly SentMessage[];
  state: Uint8Array | undefined;
  tools: readonly ToolDefinition[];
  wireName?: (name: string) => string;
  model: RequestedModel;
  conversationId: string;
  originalRequestId: string;
  blobs: BlobStore;
}

/** Encodes the first message of a stream, with the past as state and the new message as action. */
export function* encodeRun(request: RunRequest): SlicedWork<Buffer> {
  const { messages, state, tools, wireName, model, conversationId, originalRequestId, blobs } = request;
  const newest = messages.at(-1);
  const asked = newest?.role === "user" ? newest : undefined;
  const before = asked === undefined ? messages : messages.slice(0, -1);
  const known =
    before.length === 0 ? (state ?? new Uint8Array()) : yield* encodeHistory(before, blobs, state, wireName);
  const writer = new BinaryWriter();
  open(writer, clientMessageFields.runRequest);
  // As raw bytes, so that a checkpoint returns exactly as it came. The field must be present even when it is empty.
  writer.tag(runFields.state, WireType.LengthDelimited).bytes(known);
  writeAction(writer, asked);
  writeModelDetails(writer, model);
  // Cached as bytes, which are the same in all requests with these tools.
  writer.tag(runFields.tools, WireType.LengthDelimited).bytes(writeTools(tools));
  writer.tag(runFields.conversationId, WireType.LengthDelimited).string(conversationId);
  writeRequestedModel(writer, model);
  writer.tag(runFields.supportsInlineImages, WireType.Varint).bool(true);
  writer.tag(runFields.runId, WireType.LengthDelimited).string(originalRequestId);
  return encodeEnvelope(writer.join().finish());
}

/** A transcript that ends with the model's own words or with results has no new user message, so the action is `resume`. */
function writeAction(writer: BinaryWriter, asked: UserMessage<SentBlock> | undefined): void {
  open(writer, runFields.action);
  if (asked === undefined) {
    open(writer, actionFields.resume).join();
  } else {
    open(writer, actionFields.userMessage);
    open(writer, userMessageActionFields.message);
    writeText(writer, userMessageFields.text, joinText(asked.content));
    const images = asked.content.filter((block) => block.type === "image");
    if (images.length > 0) {
      writer.tag(userMessageFields.selectedContext, WireType.LengthDelimited).bytes(encodeImages(images));
    }
    writer.join().join();
  }
  writer.join();
}

function encodeImages(images: readonly ImageBlock[]): Uint8Array {
  const selectedImages = images.map(({ data, mimeType }) => ({
    dataOrBlobId: { case: "data" as const, value: data },
    uuid: randomUUID(),
    mimeType,
  }));
  return toBinary(SelectedContextSchema, create(SelectedContextSchema, { selectedImages }));
}

/** The older field for the model, which some accounts still need for `auto` (docs/protocol/parity.md, the run request). */
function writeModelDetails(writer: BinaryWriter, { id, isMax }: RequestedModel): void {
  open(writer, runFields.modelDetails);
  writeText(writer, modelDetailsFields.id, id);
  writeText(writer, modelDetailsFields.displayId, id);
  writeText(writer, modelDetailsFields.displayName, id);
  writeText(writer, modelDetailsFields.displayNameShort, id);
  if (isMax) writer.tag(modelDetailsFields.isMax, WireType.Varint).bool(true);
  writer.join();
}

function writeRequestedModel(writer: BinaryWriter, { id, isMax, parameters, isVariant }: RequestedModel): void {
  open(writer, runFields.requestedModel);
  writeText(writer, requestedModelFields.id, id);
  if (isMax) writer.tag(requestedModelFields.isMax, WireType.Varint).bool(true);
  for (const parameter of parameters) {
    open(writer, requestedModelFields.parameters);
    writeText(writer, parameterFields.id, parameter.id);
    writeText(writer, parameterFields.value, parameter.value);
    writer.join();
  }
  if (isVariant) writer.tag(requestedModelFields.isVariant, WireType.Varint).bool(true);
  writer.join();
}

/** Begins a nested message, which `join()` ends. */
function open(writer: BinaryWriter, field: number): BinaryWriter {
  return writer.tag(field, WireType.LengthDelimited).fork();
}

/** Leaves out an empty text, as proto3 does for fields that are not optional. */
function writeText(writer: BinaryWriter, field: number, text: string): void {
  if (text !== "") writer.tag(field, WireType.LengthDelimited).string(text);
}
