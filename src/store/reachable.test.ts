import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { field, type SampleBlob, sampleBlob, stateNaming } from "../../testing/samples/sample-state.js";
import { ConversationStateStructureSchema, ConversationTurnStructureSchema } from "../gen/agent_v1_pb.js";
import { followIds } from "./reachable.js";

/** The names of the blobs found, in the order in which they were given. */
function found(state: Uint8Array, blobs: Readonly<Record<string, SampleBlob>>): string[] {
  const seen = new Set<string>();
  const steps = followIds(state, (id) => {
    const name = Object.keys(blobs).find((each) => blobs[each]?.id.toString("latin1") === id);
    if (name === undefined || seen.has(name)) return undefined;
    seen.add(name);
    return blobs[name]?.data;
  });
  for (const _ of steps);
  return Object.keys(blobs).filter((name) => seen.has(name));
}

const a = sampleBlob("a");
const b = sampleBlob("b");

describe("the blobs that a state reaches", () => {
  it("are those of the fields we know", () => {
    const step = sampleBlob(field(1, field(1, Buffer.from("text"))));
    const turn = sampleBlob(
      toBinary(
        ConversationTurnStructureSchema,
        create(ConversationTurnStructureSchema, {
          turn: { case: "agentConversationTurn", value: { userMessage: a.id, steps: [step.id] } },
        }),
      ),
    );
    const state = toBinary(
      ConversationStateStructureSchema,
      create(ConversationStateStructureSchema, { rootPromptMessagesJson: [b.id], turns: [turn.id] }),
    );
    expect(found(state, { turn, a, step, b, other: sampleBlob("other") })).toEqual(["turn", "a", "step", "b"]);
  });

  it("are also those of fields nobody has described yet, at any depth of messages and blobs", () => {
    const inner = sampleBlob(field(700, field(2, field(9, a.id))));
    const state = Buffer.concat([field(6_000, field(3, inner.id)), Buffer.from([0x28, 0x05])]);
    expect(found(state, { inner, a, b })).toEqual(["inner", "a"]);
  });

  it("are found between numbers of every kind", () => {
    const varint = Buffer.from([0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    const fixed = Buffer.concat([
      Buffer.from([0x11]),
      Buffer.alloc(8, 0xff),
      Buffer.from([0x1d]),
      Buffer.alloc(4, 0xff),
    ]);
    expect(found(Buffer.concat([varint, field(1, a.id), fixed, field(2, b.id)]), { a, b })).toEqual(["a", "b"]);
  });

  it("are those in maps, whose entries are messages", () => {
    expect(found(field(15, Buffer.concat([field(1, Buffer.from("path/to/file")), field(2, a.id)])), { a })).toEqual([
      "a",
    ]);
  });

  it("are not looked for in text", () => {
    const text = Buffer.concat([Buffer.from('{"text":"'), field(1, a.id), Buffer.from('"}')]);
    expect(found(field(1, text), { a })).toEqual([]);
    expect(found(stateNaming(sampleBlob(text)), { text: sampleBlob(text), a })).toEqual(["text"]);
  });

  it("are those before the point where a broken state stops making sense", () => {
    const state = Buffer.concat([field(1, a.id), field(1, b.id)]);
    expect(found(state.subarray(0, -1), { a, b })).toEqual(["a"]);
  });

  it("are found once each although blobs name each other in a circle", () => {
    let entered = 0;
    const circle = field(1, a.id);
    for (const _ of followIds(circle, () => (entered++ === 0 ? circle : undefined)));
    expect(entered).toBe(2);
  });

  it("are found in any bytes without an end or an exception", () => {
    let random = 1;
    for (let round = 0; round < 2_000; round++) {
      const bytes = Buffer.alloc(round % 97);
      for (let at = 0; at < bytes.length; at++) {
        random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
        bytes[at] = random >> 16;
      }
      expect(() => [...followIds(field(1, bytes), () => undefined)]).not.toThrow();
    }
  });

  it("are not followed into messages nested beyond reason", () => {
    let nested: Buffer = field(1, a.id);
    for (let depth = 0; depth < 10_000; depth++) nested = field(1, nested);
    expect(found(nested, { a })).toEqual([]);
  });
});
