import { describe, expect, it } from "vitest";
import { EnvelopeReader, encodeEnvelope, encodeGzipEnvelope } from "./envelope.js";

const stream = Buffer.concat([
  encodeEnvelope(0, Buffer.from("one")),
  encodeEnvelope(0, Buffer.alloc(0)),
  encodeGzipEnvelope(0, Buffer.from("three")),
  encodeEnvelope(2, Buffer.from("{}")),
]);

function readIn(bytes: number): [number, string][] {
  const reader = new EnvelopeReader();
  const read: [number, string][] = [];
  for (let at = 0; at < stream.length; at += bytes) {
    for (const { flags, payload } of reader.push(stream.subarray(at, at + bytes)))
      read.push([flags, payload.toString()]);
  }
  return read;
}

describe("the reader of envelopes", () => {
  it.each([1, 2, 3, 7, 1000])("reads the same from pieces of %d bytes", (bytes) => {
    expect(readIn(bytes)).toEqual([
      [0, "one"],
      [0, ""],
      [1, "three"],
      [2, "{}"],
    ]);
  });

  it("refuses lengths that no message has", () => {
    expect(() => new EnvelopeReader().push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))).toThrow(/limit/);
  });

  it("refuses a payload that is wrongly marked as compressed", () => {
    expect(() => new EnvelopeReader().push(encodeEnvelope(1, Buffer.from("plain")))).toThrow(/inflated/);
  });
});
