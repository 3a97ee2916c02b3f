import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  AgentClientMessageSchema,
  AgentServerMessageSchema,
  ConversationStateStructureSchema,
} from "../../gen/agent_v1_pb.js";
import type { SentMessage, ToolDefinition } from "../../turn/turn.js";
import { memoryShelf } from "../scripted/index.js";
import { BlobStore } from "./blobs.js";
import { Drift } from "./drift.js";
import { encodeRun } from "./encode.js";
import { ENVELOPE_HEADER_BYTES } from "./envelope.js";
import { answerQuestion, writtenAnswers } from "./questions.js";
import { writeTools } from "./tool-definitions.js";

const newTools = (): ToolDefinition[] => [
  {
    name: "tide",
    description: "Tells the tide.",
    inputSchema: { type: "object", properties: { at: { type: "string" } } },
  },
  { name: "wind", description: "", inputSchema: {} },
];
const messages: SentMessage[] = [{ role: "user", content: [{ type: "text", text: "When is high water?" }] }];
const state = toBinary(ConversationStateStructureSchema, create(ConversationStateStructureSchema, {}));

/** What the frame holds, and whether its bytes are those that the generated code would write. */
function read(frame: Buffer) {
  const bytes = frame.subarray(ENVELOPE_HEADER_BYTES);
  const { message } = fromBinary(AgentClientMessageSchema, bytes);
  const written = toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }));
  return { message, isAsGenerated: bytes.equals(written) };
}

describe("a run request", () => {
  const encode = (tools: readonly ToolDefinition[], isMax: boolean) =>
    encodeRun({
      messages,
      state,
      tools,
      model: { id: "auto", parameters: [{ id: "effort", value: "high" }], isMax },
      conversationId: "c1",
      originalRequestId: "r1",
      blobs: new BlobStore(memoryShelf()),
    });

  it.each([
    ["tools", newTools(), false],
    ["tools, in the largest mode", newTools(), true],
    ["no tools", [], false],
  ])("is written as the generated code would write it, with %s", async (_, tools, isMax) => {
    const { message, isAsGenerated } = read(await encode(tools, isMax));
    expect(isAsGenerated).toBe(true);
    expect(message.value).toMatchObject({
      conversationId: "c1",
      runId: "r1",
      requestedModel: { modelId: "auto", maxMode: isMax, parameters: [{ id: "effort", value: "high" }] },
      mcpTools: { mcpTools: tools.map(({ name }) => ({ toolName: name })) },
    });
  });

  it("writes the same list of tools once", async () => {
    const tools = newTools();
    expect(writeTools(tools)).toBe(writeTools(tools));
    expect(Buffer.from(writeTools(tools)).equals(writeTools(newTools()))).toBe(true);
  });
});

describe("an answer that holds the tools", () => {
  const answer = (
    asked: "requestContextArgs" | "mcpStateExecArgs",
    system: string,
    tools: readonly ToolDefinition[],
  ) => {
    const question = create(AgentServerMessageSchema, {
      message: { case: "execServerMessage", value: { id: 7, message: { case: asked, value: {} } } },
    });
    const written = writtenAnswers(system, tools);
    const context = {
      system,
      tools,
      callable: tools,
      blobs: new BlobStore(memoryShelf()),
      drift: new Drift(),
      written,
    };
    const [frame = Buffer.alloc(0)] = answerQuestion(question, context);
    return { frame, bytes: written.get(asked) };
  };

  it.each(["requestContextArgs", "mcpStateExecArgs"] as const)("to %s is written once for all runs", (asked) => {
    const tools = newTools();
    const first = answer(asked, "You sail.", tools);
    const second = answer(asked, "You sail.", tools);
    expect(second.bytes).toBe(first.bytes);
    expect(second.frame.equals(first.frame)).toBe(true);
    expect(read(first.frame).isAsGenerated).toBe(true);
    expect(answer(asked, "You sail.", newTools()).frame.equals(first.frame)).toBe(true);
  });

  it("is another under another system prompt", () => {
    const tools = newTools();
    const first = answer("requestContextArgs", "You sail.", tools);
    expect(answer("requestContextArgs", "You row.", tools).frame.equals(first.frame)).toBe(false);
    expect(answer("requestContextArgs", "You sail.", tools).frame.equals(first.frame)).toBe(true);
  });
});
