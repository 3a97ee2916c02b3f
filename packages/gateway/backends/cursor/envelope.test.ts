import { gzipSync } from "node:zlib";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  AgentServerMessageSchema,
  type InteractionUpdate,
  type InteractionUpdateSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvent } from "../../turn/event.js";
import * as decode from "../agent/turn/decode.js";
import { ChunkTexts, decodeMessage } from "../agent/turn/decode.js";
import type { ReplyWriter } from "../exchange/index.js";
import { repliesWith } from "../exchange/replies.cases.js";
import { seeded } from "../seeded.cases.js";
import { EnvelopeReader, encodeEnvelope } from "./envelope.js";

type Words = Pick<ReplyWriter, "say">;
const into = (batch: TurnEvent[]): Words => ({ say: (type, delta) => void batch.push({ type, delta }) });
const decodeDelta = (bytes: Buffer, start: number, end: number, batch: TurnEvent[]) =>
  decode.decodeDelta(bytes, start, end, into(batch), new ChunkTexts());
const decodeUpdate = (update: InteractionUpdate, batch: TurnEvent[]) => decode.decodeUpdate(update, into(batch));

type Heard = { text: string; ends: string[]; others: number };

/** Reads slices as a run does and returns what came out. */
function read(slices: Iterable<Buffer>): Heard {
  const replies = repliesWith();
  const texts = new ChunkTexts();
  const heard: Heard = { text: "", ends: [], others: 0 };
  const reader = new EnvelopeReader({
    message(bytes, start, end) {
      if (decode.decodeDelta(bytes, start, end, replies, texts) !== "other") return;
      const { message } = decodeMessage(bytes, start, end);
      if (message.case !== "interactionUpdate" || decode.decodeUpdate(message.value, replies) === "other")
        heard.others++;
    },
    end: (json) => heard.ends.push(json),
  });
  for (const slice of slices) reader.push(slice);
  for (const event of replies.batch)
    if (event.type === "text" || event.type === "thinking") heard.text += `${event.type}:${event.delta};`;
  return heard;
}

function* slicesOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type ServerMessage = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>["message"]>;
type Update = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>["message"]>;
const encoded = (message: ServerMessage) =>
  Buffer.from(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message })));
const update = (message: Update) => encoded({ case: "interactionUpdate", value: { message } });
const text = (value: string) => update({ case: "textDelta", value: { text: value } });
const thinking = (value: string) => update({ case: "thinkingDelta", value: { text: value } });
/** What the server puts beside the message of an update, here with its number encoded as given. */
const startedAt = (varint = "a0c8c6f7a833") => Buffer.from(`c801${varint}`, "hex");
/** An update of these fields, one after the other. */
const updateOf = (...fields: readonly Buffer[]) => {
  const payload = Buffer.concat(fields);
  return Buffer.from(new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(payload).finish());
};
const fieldsOf = (bytes: Buffer) => Buffer.from(new BinaryReader(bytes.subarray(1)).bytes());
const framed = (flags: number, payload: Buffer) => {
  const frame = encodeEnvelope(payload);
  frame[0] = flags;
  return frame;
};

/** Every kind of frame, short enough to be read again for each of its bytes. */
const short = Buffer.concat([
  framed(0, thinking("hm ✓")),
  framed(0, text("Grüße ")),
  framed(0, text("x".repeat(300))),
  framed(1, gzipSync(text("🎉 gzip"))),
  framed(0, encoded({ case: "execServerMessage", value: { id: 7 } })),
  framed(0, Buffer.alloc(0)),
  framed(0, text("é".repeat(100))),
  framed(0, updateOf(fieldsOf(text(" after")), startedAt())),
  framed(0, updateOf(startedAt(), fieldsOf(thinking(" before")))),
  framed(2, Buffer.from('{"metadata":{}}')),
]);
const stream = Buffer.concat([framed(0, text("é".repeat(9_000))), short]);
const whole = read([stream]);

describe("frames", () => {
  it("are read from one chunk", () => {
    const long = "é".repeat(9_000);
    expect(whole.text).toBe(
      `text:${long};thinking:hm ✓;text:Grüße ${"x".repeat(300)}🎉 gzip${"é".repeat(100)} after;thinking: before;`,
    );
    expect(whole.ends).toEqual(['{"metadata":{}}']);
    expect(whole.others).toBe(2);
  });

  it("give the same events cut at every byte position", () => {
    const uncut = read([short]);
    for (let cut = 1; cut < short.length; cut++) {
      expect(read([short.subarray(0, cut), short.subarray(cut)])).toEqual(uncut);
    }
  });

  it.each([1, 2, 3, 7, 13, 4096])("give the same events in slices of %i bytes", (size) => {
    expect(read(slicesOf(stream, size))).toEqual(whole);
  });

  it("end once even when the end frame is compressed", () => {
    expect(read([framed(3, gzipSync("{}"))]).ends).toEqual(["{}"]);
  });

  it.each([
    ["an absurd length", Buffer.from([0, 0xff, 0xff, 0xff, 0xff])],
    ["unknown flags", framed(4, text("a"))],
    ["invalid gzip", framed(1, Buffer.from("not gzip"))],
    ["a message after the end", Buffer.concat([framed(2, Buffer.from("{}")), framed(0, text("late"))])],
    ["a message that cannot be read", framed(0, Buffer.from([0x0a, 0x05, 0x01]))],
  ])("with %s are one clear error", (_name, bytes) => {
    expect(() => read([bytes])).toThrow(GatewayError);
  });

  it("that inflate to too much are refused before they fill the memory", () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024));
    expect(() => read([framed(1, bomb)])).toThrow(/does not inflate/);
  });

  it("survive 10,000 random mutations: each gives events or one GatewayError", () => {
    const random = seeded(20_261_115);
    let failures = 0;
    for (let round = 0; round < 10_000; round++) {
      const mutated = Buffer.from(short);
      for (let change = 0; change <= random() % 4; change++) mutated[random() % mutated.length] = random() % 256;
      const cut = random() % mutated.length;
      try {
        read([mutated.subarray(0, cut), mutated.subarray(cut)]);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(GatewayError);
        failures++;
      }
    }
    // Both outcomes must really occur, or the mutations prove nothing.
    expect(failures).toBeGreaterThan(500);
    expect(failures).toBeLessThan(9_500);
  });
});

describe("deltas read by hand", () => {
  it("equal what the generated code reads, for 20,000 random messages", () => {
    const random = seeded(7);
    const seen = { progress: 0, idle: 0, other: 0 };
    for (let round = 0; round < 20_000; round++) {
      seen[readBothWays(randomMessage(random))]++;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(500);
  });

  it.each([
    ["after it", (delta: Buffer) => [delta, startedAt()]],
    ["before it", (delta: Buffer) => [startedAt(), delta]],
    ["on both sides", (delta: Buffer) => [startedAt("808080808001"), delta, startedAt()]],
    ["of 1971 after it", (delta: Buffer) => [delta, startedAt("808080808001")]],
    ["of 2109 before it", (delta: Buffer) => [startedAt("ffffffffff7f"), delta]],
  ])("equal what the generated code reads with a time %s, whole and cut anywhere", (_, around) => {
    for (const delta of [
      text("Grüße"),
      text("x".repeat(300)),
      thinking("hm"),
      update({ case: "heartbeat", value: {} }),
    ]) {
      const fields = Buffer.concat(around(fieldsOf(delta)));
      expect(readBothWays(updateOf(fields))).not.toBe("other");
      for (let cut = 0; cut < fields.length; cut++) readBothWays(updateOf(fields.subarray(0, cut)));
    }
  });

  it.each([
    ["longer than a number can be", [startedAt("ffffffffffffffffffff01")]],
    ["that is too short", [startedAt("ffffffff7f")]],
    ["that is too long", [startedAt("ffffffffffff7f")]],
    ["without its number", [startedAt("")]],
    ["without an end", [startedAt("ffff")]],
    ["and more", [startedAt(), Buffer.from("980601", "hex")]],
  ])("leave a text with a time %s to the generated code", (_, after) => {
    for (const fields of [
      [fieldsOf(text("a")), ...after],
      [...after, fieldsOf(text("a"))],
    ]) {
      expect(readBothWays(updateOf(...fields))).toBe("other");
    }
  });

  it("are refused as too long by the generated code, with a time before them too", () => {
    const bytes = updateOf(startedAt(), fieldsOf(text("x".repeat(3 * 1024 * 1024))));
    expect(readBothWays(bytes)).toBe("other");
    expect(() => decodeMessage(bytes, 0, bytes.length)).toThrow("more text at once");
  });

  it.each([0, 1, 127, 128, 129, 16_383, 16_384, 40_000])("reach the reader whole with %i characters", (length) => {
    const batch: TurnEvent[] = [];
    const bytes = text("a".repeat(length));
    const kind = decodeDelta(bytes, 0, bytes.length, batch);
    if (kind === "other") {
      const { message } = decodeMessage(bytes, 0, bytes.length);
      if (message.case === "interactionUpdate") decodeUpdate(message.value, batch);
    }
    expect(batch).toEqual(length === 0 ? [] : [{ type: "text", delta: "a".repeat(length) }]);
  });

  it("leave a text that is present but empty to the generated code", () => {
    const bytes = Buffer.from("0a040a020a00", "hex");
    const batch: TurnEvent[] = [];
    expect(decodeDelta(bytes, 0, bytes.length, batch)).toBe("other");
    expect(batch).toEqual([]);
  });

  it("leave a server's notice to the generated code, which keeps it out of the answer", () => {
    const bytes = update({ case: "textDelta", value: { text: "maintenance", isServerNotice: true } });
    const batch: TurnEvent[] = [];
    expect(decodeDelta(bytes, 0, bytes.length, batch)).toBe("other");
    const { message } = decodeMessage(bytes, 0, bytes.length);
    if (message.case === "interactionUpdate") expect(decodeUpdate(message.value, batch)).toBe("idle");
    expect(batch).toEqual([]);
  });
});

/** Reads a message by hand and, if that does, with the generated code, which must find the same. */
function readBothWays(bytes: Buffer): decode.DeltaKind {
  const byHand: TurnEvent[] = [];
  // Another message follows in its chunk, whose bytes are none of this one's.
  const chunk = Buffer.concat([bytes, startedAt(), text("next")]);
  const kind = decodeDelta(chunk, 0, bytes.length, byHand);
  if (kind === "other") {
    expect(byHand).toEqual([]);
    return kind;
  }
  const { message } = decodeMessage(bytes, 0, bytes.length);
  const generated: TurnEvent[] = [];
  expect(message.case).toBe("interactionUpdate");
  if (message.case === "interactionUpdate") expect(decodeUpdate(message.value, generated)).toBe(kind);
  expect(byHand).toEqual(generated);
  return kind;
}

function randomMessage(random: () => number): Buffer {
  const long = ["x".repeat(random() % 200), "y".repeat(16_000 + (random() % 1_000))];
  const words = ["", "a", "Grüße", "🎉", " the quick", ...long];
  const value = words[random() % words.length] ?? "";
  switch (random() % 10) {
    case 0:
      return thinking(value);
    case 1:
      return update({ case: "tokenDelta", value: { tokens: random() % 999 } });
    case 2:
      return update({ case: "heartbeat", value: {} });
    case 3:
      return update({ case: "stepStarted", value: { stepId: 3n } });
    case 4: // an unknown field after the delta
      return Buffer.concat([text(value), Buffer.from([0xf8, 0x07, 0x01])]);
    case 5:
      return updateOf(fieldsOf(text(value)), startedAt());
    case 6:
      return updateOf(startedAt(), fieldsOf(thinking(value)));
    default:
      return text(value);
  }
}
