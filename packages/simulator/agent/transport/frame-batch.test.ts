import { create, toBinary } from "@bufbuild/protobuf";
import { AgentServerMessageSchema, type InteractionUpdate } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { encodeEnvelope } from "../../server/envelope.js";
import { FrameBatch } from "./frame-batch.js";

const texts = [
  "",
  "a",
  "word ",
  "ä€😀",
  "x".repeat(121),
  "x".repeat(122),
  "x".repeat(127),
  "x".repeat(16_400),
  "y".repeat(70_000),
];

function generated(message: InteractionUpdate["message"]): Buffer {
  const bytes = toBinary(
    AgentServerMessageSchema,
    create(AgentServerMessageSchema, { message: { case: "interactionUpdate", value: { message } } }),
  );
  return encodeEnvelope(0, bytes);
}

describe("a batch of frames", () => {
  it.each(texts.map((text) => [text.length, text] as const))(
    "has the bytes of the generated code (%d characters)",
    (_length, text) => {
      const batch = new FrameBatch({ isGzip: false, isDrifting: false });
      batch.addDelta("text", text);
      batch.addDelta("thinking", text);
      batch.addTokens(text.length + 1);
      const $typeName = "agent.v1.TextDeltaUpdate" as const;
      const expected = Buffer.concat([
        // The generated code leaves out an empty text and ours writes it; both mean the same.
        ...(text === "" ? [] : [generated({ case: "textDelta", value: { $typeName, text, isServerNotice: false } })]),
        ...(text === ""
          ? []
          : [generated({ case: "thinkingDelta", value: { $typeName: "agent.v1.ThinkingDeltaUpdate", text } })]),
        generated({ case: "tokenDelta", value: { $typeName: "agent.v1.TokenDeltaUpdate", tokens: text.length + 1 } }),
      ]);
      const { frames, payloadBytes } = batch.take();
      expect(frames.subarray(frames.length - expected.length).equals(expected)).toBe(true);
      expect(payloadBytes).toBe(frames.length - 15);
    },
  );
});
