import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type AgentConversationTurnStructureSchema,
  ConversationTurnStructureSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { ChunkTexts, decodeMessage, hadDynamicTools, measuredUsage } from "./decode.js";

/** Counts how often Node decodes bytes. */
class CountedBuffer {
  decoded: string[] = [];
  readonly bytes: Buffer;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.bytes.toString = (encoding, start, end) => {
      this.decoded.push(encoding ?? "utf8");
      return Buffer.prototype.toString.call(this.bytes, encoding, start, end);
    };
  }
}

it("decodes every text as Node does, anywhere in its chunk", () => {
  const chunk = Buffer.from(`${" the quick brown fox".repeat(20)}Grüße 🎉 ${"x".repeat(40)}`);
  const texts = new ChunkTexts();
  for (let start = 0; start < chunk.length; start++) {
    for (const length of [1, 4, 12, 13, 40]) {
      const end = Math.min(chunk.length, start + length);
      expect(texts.decode(chunk, start, end)).toBe(chunk.toString("utf8", start, end));
    }
  }
});

it("decodes a chunk of many short texts twice, not once for each", () => {
  const { bytes, decoded } = new CountedBuffer(" the".repeat(64));
  const texts = new ChunkTexts();
  for (let at = 0; at < bytes.length; at += 4) texts.decode(bytes, at, at + 4);
  expect(decoded).toEqual(["utf8", "latin1"]);
});

it("makes no copy of a chunk with one text, nor for texts that are long or not ASCII, nor of a large chunk", () => {
  const single = new CountedBuffer(" the");
  const long = new CountedBuffer("x".repeat(13).repeat(3));
  const accented = new CountedBuffer("é".repeat(3));
  const large = new CountedBuffer(" the".repeat(20_000));
  const texts = new ChunkTexts();
  texts.decode(single.bytes, 0, 4);
  for (let at = 0; at < 39; at += 13) texts.decode(long.bytes, at, at + 13);
  for (let at = 0; at < 6; at += 2) texts.decode(accented.bytes, at, at + 2);
  for (let at = 0; at < 12; at += 4) texts.decode(large.bytes, at, at + 4);
  expect([single, long, accented, large].flatMap(({ decoded }) => decoded)).not.toContain("latin1");
});

it("decodes a reused buffer anew", () => {
  const buffer = Buffer.from("one two ");
  const texts = new ChunkTexts();
  for (const at of [0, 4]) texts.decode(buffer, at, at + 4);
  texts.release();
  buffer.write("six ten ");
  expect([0, 4].map((at) => texts.decode(buffer, at, at + 4))).toEqual(["six ", "ten "]);
});

describe("the description of a turn", () => {
  const tools = ["tide", "wind"].map((name) => ({ name, description: "", inputSchema: {} }));
  const turn = (value: MessageInitShape<typeof AgentConversationTurnStructureSchema>) => {
    const schema = ConversationTurnStructureSchema;
    return toBinary(schema, create(schema, { turn: { case: "agentConversationTurn", value } }));
  };

  it.each([
    ["nothing of dynamic tools", turn({ requestId: "r" }), undefined],
    ["that there were none", turn({ dynamicToolCount: 0 }), false],
    ["how many there were", turn({ dynamicToolCount: 2 }), true],
    ["their names", turn({ dynamicToolCount: 2, dynamicToolNames: ["tide", "wind"] }), true],
    ["a name with its provider", turn({ dynamicToolNames: ["grep", "mcp_curlew_wind"] }), true],
    ["names of other tools alone", turn({ dynamicToolCount: 2, dynamicToolNames: ["grep", "browse"] }), undefined],
    ["far too much", turn({ dynamicToolCount: 2, requestId: "x".repeat(300_000) }), undefined],
    ["something that cannot be read", new Uint8Array([0x0a, 0x7f]), undefined],
    ["a shell command", new Uint8Array([0x12, 0]), undefined],
  ])("may say %s", (_, bytes, expected) => expect(hadDynamicTools(bytes, tools)).toBe(expected));
});

it.each([
  ["cut off", "0a0472020880"],
  ["a number that is too long", `0a0e720c08${"ff".repeat(11)}`],
  ["no field at all", "0a04720207ff"],
  ["cut off, behind a time", "0a0cc801a0c8c6f7a83372020880"],
])("reads the end of a turn whose usage is unreadable: %s", (_, hex) => {
  const bytes = Buffer.from(hex, "hex");
  const { message } = decodeMessage(bytes, 0, bytes.length);
  const ended = message.case === "interactionUpdate" ? message.value.message : undefined;
  expect(ended?.case).toBe("turnEnded");
  if (ended?.case === "turnEnded") expect([measuredUsage(ended.value), ended.value.$unknown]).toEqual([undefined, []]);
  bytes[bytes.indexOf(0x72)] = 0x82; // any other update is refused
  expect(() => decodeMessage(bytes, 0, bytes.length)).toThrow("cannot be read");
});
