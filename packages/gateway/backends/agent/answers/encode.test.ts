import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { AgentClientMessageSchema, AgentServerMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { memoryBlobs } from "../../../../../testing/backends/scripted/index.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { ENVELOPE_HEADER_BYTES } from "../../cursor/envelope.js";
import { BlobStore } from "../request/blobs.js";
import { execHeartbeatFrame } from "./encode.js";
import { answerQuestion, noDrift, writtenAnswers } from "./questions.js";

const newTools = (): ToolDefinition[] => [
  {
    name: "tide",
    description: "Tells the tide.",
    inputSchema: { type: "object", properties: { at: { type: "string" } } },
  },
  { name: "wind", description: "", inputSchema: {} },
];

/** Decodes a frame, and tells whether the generated code would write the same bytes. */
function read(frame: Buffer) {
  const bytes = frame.subarray(ENVELOPE_HEADER_BYTES);
  const { message } = fromBinary(AgentClientMessageSchema, bytes);
  const written = toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }));
  return { message, isAsGenerated: bytes.equals(written) };
}

describe("an answer that holds the tools", () => {
  const answer = (
    asked: "requestContextArgs" | "mcpStateExecArgs",
    system: string,
    tools: readonly ToolDefinition[],
    id = 7,
  ) => {
    const question = create(AgentServerMessageSchema, {
      message: { case: "execServerMessage", value: { id, message: { case: asked, value: {} } } },
    });
    const written = writtenAnswers(system, tools);
    const context = {
      system,
      tools,
      callable: tools,
      allowsWeb: false,
      blobs: new BlobStore(memoryBlobs()),
      drift: noDrift(),
      onMissingBlob: () => {},
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
    for (const id of [1, 127, 128, 70_000]) {
      const { message, isAsGenerated } = read(answer(asked, "You sail.", tools, id).frame);
      expect([isAsGenerated, message]).toMatchObject([true, { value: { id } }]);
    }
    expect(answer(asked, "You sail.", newTools()).frame.equals(first.frame)).toBe(true);
  });

  it("differs under another system prompt", () => {
    const tools = newTools();
    const first = answer("requestContextArgs", "You sail.", tools);
    expect(answer("requestContextArgs", "You row.", tools).frame.equals(first.frame)).toBe(false);
    expect(answer("requestContextArgs", "You sail.", tools).frame.equals(first.frame)).toBe(true);
  });
});

describe("the heartbeat of a call", () => {
  it.each([0, 1, 2, 127, 128, 70_000])("names the call %i, encoded as by the generated code", (id) => {
    const { message, isAsGenerated } = read(execHeartbeatFrame(id));
    expect(isAsGenerated).toBe(true);
    expect(message).toMatchObject({ case: "execClientControlMessage", value: { message: { value: { id } } } });
  });

  it("is encoded once for all runs", () => {
    expect(execHeartbeatFrame(2)).toBe(execHeartbeatFrame(2));
  });
});
