import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type AgentClientMessage, AgentClientMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { memoryBlobs } from "../../../../../testing/backends/scripted/index.js";
import { finishInSlices } from "../../../system/clock.js";
import type { SentBlock } from "../../../turn/blocks.js";
import type { SentMessage, ToolDefinition } from "../../../turn/turn.js";
import type { RequestedModel } from "../../backend.js";
import { ENVELOPE_HEADER_BYTES } from "../../cursor/envelope.js";
import { BlobStore } from "./blobs.js";
import { encodeRun } from "./run-request.js";
import { writeTools } from "./tool-definitions.js";

const newTools = (): ToolDefinition[] => [
  {
    name: "tide",
    description: "Tells the tide.",
    inputSchema: { type: "object", properties: { at: { type: "string" } } },
  },
  { name: "wind", description: "", inputSchema: {} },
];
const says = (...content: SentBlock[]): SentMessage => ({ role: "user", content });
const question = says({ type: "text", text: "When is high water?" });
const answer: SentMessage = { role: "assistant", content: [{ type: "text", text: "At noon." }] };
const picture: SentBlock = { type: "image", mimeType: "image/png", data: new Uint8Array(40_000).fill(7) };
const auto: RequestedModel = { id: "auto", parameters: [], isMax: false };

function encode(request: Partial<Parameters<typeof encodeRun>[0]>): Promise<Buffer> {
  const work = encodeRun({
    messages: [question],
    state: undefined,
    tools: [],
    model: auto,
    conversationId: "c1",
    originalRequestId: "r1",
    blobs: new BlobStore(memoryBlobs()),
    ...request,
  });
  return finishInSlices(work);
}

function bytesOf(frame: Buffer): Buffer {
  return frame.subarray(ENVELOPE_HEADER_BYTES);
}

function runOf(frame: Buffer): Extract<AgentClientMessage["message"], { case: "runRequest" }>["value"] {
  const { message } = fromBinary(AgentClientMessageSchema, bytesOf(frame));
  if (message.case !== "runRequest") throw new Error(`a run request was expected, not ${message.case}`);
  return message.value;
}

describe("a run request", () => {
  it.each<[string, Parameters<typeof encode>[0]]>([
    ["a question", {}],
    ["tools", { tools: newTools() }],
    ["the largest mode", { model: { ...auto, isMax: true } }],
    [
      "parameters, one of them empty",
      {
        model: {
          ...auto,
          parameters: [
            { id: "effort", value: "" },
            { id: "", value: "" },
          ],
        },
      },
    ],
    ["the marked name of a variant", { model: { ...auto, id: "opus-high", isVariant: true } }],
    ["no name for the model", { model: { ...auto, id: "" } }],
    ["a question without words", { messages: [says({ type: "text", text: "" })] }],
    [
      "a long question of many alphabets",
      { messages: [says({ type: "text", text: "Wie spät? ½ 高潮 🌊 ".repeat(9_000) })] },
    ],
    ["pictures", { messages: [says(picture, { type: "text", text: "Where is it?" }, picture)] }],
    ["a history", { messages: [question, answer, question] }],
    ["a history that ends with the model's words", { messages: [question, answer] }],
    ["a checkpoint and nothing new", { messages: [], state: new Uint8Array([0x0a, 1, 0x61]) }],
  ])("is written as the generated code would write it, with %s", async (_, request) => {
    const frame = await encode(request);
    const generated = create(AgentClientMessageSchema, { message: { case: "runRequest", value: runOf(frame) } });
    expect(bytesOf(frame).equals(toBinary(AgentClientMessageSchema, generated))).toBe(true);
  });

  it("holds the question, the model, the tools and the pictures", async () => {
    const model = { id: "opus", parameters: [{ id: "effort", value: "high" }], isMax: true };
    const run = runOf(
      await encode({ model, tools: newTools(), messages: [says(picture, { type: "text", text: "Where is it?" })] }),
    );
    expect(run).toMatchObject({
      conversationId: "c1",
      runId: "r1",
      clientSupportsInlineImages: true,
      modelDetails: { modelId: "opus", displayName: "opus", displayNameShort: "opus", maxMode: true },
      requestedModel: { modelId: "opus", maxMode: true, parameters: [{ id: "effort", value: "high" }] },
      mcpTools: { mcpTools: [{ toolName: "tide" }, { toolName: "wind" }] },
    });
    expect(run.action?.action).toMatchObject({
      case: "userMessageAction",
      value: {
        userMessage: {
          text: "Where is it?",
          selectedContext: { selectedImages: [{ dataOrBlobId: { case: "data" }, mimeType: "image/png" }] },
        },
      },
    });
  });

  it("has a state even without a history", async () => {
    const run = runOf(await encode({}));
    expect(run.conversationState).toBeDefined();
  });

  it("returns a checkpoint byte for byte, including unknown fields", async () => {
    const state = Buffer.from([0xf8, 0x3f, 0x01, 0x0a, 0x01, 0x61]); // not in the order of its fields
    expect(bytesOf(await encode({ state })).includes(state)).toBe(true);
  });

  it("resumes when the newest message is the model's", async () => {
    const run = runOf(await encode({ messages: [question, answer] }));
    expect(run.action?.action.case).toBe("resumeAction");
  });

  it("encodes the same list of tools once", () => {
    const tools = newTools();
    expect(writeTools(tools)).toBe(writeTools(tools));
    expect(Buffer.from(writeTools(tools)).equals(writeTools(newTools()))).toBe(true);
  });
});
