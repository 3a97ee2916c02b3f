import { create, fromBinary } from "@bufbuild/protobuf";
import {
  AgentServerMessageSchema,
  McpArgsSchema,
  McpErrorSchema,
  McpToolCallSchema,
  McpToolErrorSchema,
  ToolCallSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { unknownFields } from "./wire-watch.js";

/** A varint field that no schema has. */
const unknown = (no: number) => ({ no, wireType: 0, data: Uint8Array.of(1) });

describe("unknown fields", () => {
  it("are named by the message that has them", () => {
    // interaction_update (1) with a field 99 of length zero.
    const received = fromBinary(AgentServerMessageSchema, Uint8Array.of(0x0a, 0x03, 0x9a, 0x06, 0x00));
    expect([...unknownFields(AgentServerMessageSchema, received)]).toEqual(["InteractionUpdate 99"]);
  });

  it("are found in messages inside others, in lists and in maps", () => {
    const args = create(McpArgsSchema, { name: "tide" });
    args.$unknown = [unknown(90), unknown(91)];
    const call = create(ToolCallSchema, {
      tool: { case: "mcpToolCall", value: create(McpToolCallSchema, { args }) },
    });
    const received = create(AgentServerMessageSchema, {
      message: {
        case: "interactionUpdate",
        value: { message: { case: "toolCallStarted", value: { callId: "1", toolCall: call } } },
      },
    });
    received.$unknown = [unknown(77)];
    expect([...unknownFields(AgentServerMessageSchema, received)]).toEqual([
      "AgentServerMessage 77",
      "McpArgs 90",
      "McpArgs 91",
    ]);
  });

  it("are empty if all fields are known", () => {
    const received = create(AgentServerMessageSchema, {
      message: { case: "interactionUpdate", value: { message: { case: "textDelta", value: { text: "a" } } } },
    });
    expect([...unknownFields(AgentServerMessageSchema, received)]).toEqual([]);
    const refused = fromBinary(McpToolErrorSchema, Uint8Array.of(0x0a, 1, 0x61, 0x12, 1, 0x62));
    expect(refused).toMatchObject({ error: "a", readToolDefReminder: "b" });
    expect([...unknownFields(McpToolErrorSchema, refused)]).toEqual([]);
    const unreached = fromBinary(McpErrorSchema, Uint8Array.of(0x0a, 1, 0x61, 0x10, 1));
    expect(unreached).toMatchObject({ error: "a", needsAuth: true });
    expect([...unknownFields(McpErrorSchema, unreached)]).toEqual([]);
  });
});
