import { describe, expect, it } from "vitest";
import { readSpec, spokenText, writeSpec } from "./spec.js";
import { envelope, envelopeReader, field, message, string, varint } from "./wire.js";

describe("envelopeReader", () => {
  const payloads = ["", "one", "x".repeat(300)].map((text) => Buffer.from(text));
  const bytes = Buffer.concat(payloads.map((payload) => envelope(0, payload)));

  it.each([1, 7, 100, bytes.length])("finds the same messages in slices of %i bytes", (size) => {
    const found = [];
    const read = envelopeReader((payload) => found.push(payload.toString()));
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    expect(found).toEqual(payloads.map(String));
  });
});

describe("field", () => {
  it("finds a field after others, and nothing when there is none", () => {
    const bytes = Buffer.concat([varint(1, 300), message(2, string(1, "in"), varint(3, 5)), string(15, "last")]);
    expect(field(bytes, 1)).toBe(300);
    expect(field(field(bytes, 2), 3)).toBe(5);
    expect(field(bytes, 15).toString()).toBe("last");
    expect(field(bytes, 4)).toBeUndefined();
  });
});

describe("readSpec", () => {
  it("reads what was written, and the newest of several", () => {
    const older = writeSpec({ deltas: 7, call: 1 });
    const newer = writeSpec({ deltas: 20, chunk: 4, pause: 1, context: 1 });
    expect(readSpec(Buffer.from(`${older} 1 and ${newer} 2`))).toEqual({
      deltas: 20,
      chunk: 4,
      pause: 1,
      context: 1,
      checkpoint: 0,
      call: 0,
    });
  });
});

describe("spokenText", () => {
  it("has a word for each delta", () => {
    expect(spokenText(3)).toBe(" the quick brown");
  });
});
