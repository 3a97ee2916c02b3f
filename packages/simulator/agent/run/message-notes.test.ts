import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AgentRunRequestSchema, UserMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { expect, it } from "vitest";
import { toFullJson } from "./message-notes.js";

const LATER_FIELD = 999;

/** A message as a newer client would write it. */
function newer(bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().raw(bytes).tag(LATER_FIELD, WireType.Varint).uint32(5).finish();
}

it("shows known fields as usual", () => {
  const message = create(UserMessageSchema, { text: "hi", selectedContext: {} });
  expect(toFullJson(UserMessageSchema, message)).toEqual({ text: "hi", selectedContext: {} });
});

it("shows fields of a newer schema, also deep inside and in lists", () => {
  const toolBytes = new BinaryWriter().tag(1, WireType.LengthDelimited).string("a").finish();
  const tools = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .bytes(toolBytes)
    .tag(1, WireType.LengthDelimited)
    .bytes(newer(toolBytes))
    .finish();
  const known = toBinary(AgentRunRequestSchema, create(AgentRunRequestSchema, { conversationId: "c" }));
  const run = new BinaryWriter().raw(newer(known)).tag(4, WireType.LengthDelimited).bytes(tools).finish();
  expect(toFullJson(AgentRunRequestSchema, fromBinary(AgentRunRequestSchema, run))).toEqual({
    conversationId: "c",
    unknown999: "05",
    mcpTools: { mcpTools: [{ name: "a" }, { name: "a", unknown999: "05" }] },
  });
});
