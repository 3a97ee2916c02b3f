import { type Capture, captureText } from "@curlew/wire/messages/capture-format.js";
import { describe, expect, it } from "vitest";
import { NotACapture, parseCapture, readCapture } from "./capture-file.js";

const capture: Capture = {
  header: {
    type: "capture",
    version: 1,
    curlew: "0.1.0",
    made: "2026-11-16T00:00:00.000Z",
    by: "doctor",
    isWhole: true,
  },
  calls: [
    {
      opening: { type: "call", call: 1, atMs: 0, method: "POST", path: "/a.v1.S/M", http: "2", headers: [] },
      events: [
        {
          type: "frame",
          call: 1,
          atMs: 1.5,
          from: "client",
          path: "",
          bytes: 4,
          body: { kind: "message", fields: [{ no: 1, kind: "text", pieces: ["hi", { bytes: 2 }] }] },
        },
        { type: "end", call: 1, atMs: 2, how: "complete" },
      ],
    },
  ],
};
const text = captureText(capture);
const lines = text.split("\n");

describe("a capture in a file", () => {
  it("is read as it was written", () => expect(parseCapture(text, "a.jsonl")).toEqual(capture));

  it.each([
    ["no JSON", "a.jsonl, line 1: not JSON.", "hello"],
    ["another version", "a.jsonl, line 1: version", text.replace('"version":1', '"version":2')],
    ["no header", "a.jsonl does not begin with the header", lines.slice(1).join("\n")],
    ["a field that is not described", "a.jsonl, line 2:", text.replace('"method"', '"more":1,"method"')],
    ["a field of another kind", "a.jsonl, line 3:", text.replace('"kind":"text"', '"kind":"word"')],
    ["a message of no call", "a.jsonl has a line that belongs to no call: frame.", [lines[0], lines[2]].join("\n")],
  ])("is refused with %s", (_, message, changed) => {
    expect(() => parseCapture(changed, "a.jsonl")).toThrow(NotACapture);
    expect(() => parseCapture(changed, "a.jsonl")).toThrow(message);
  });

  it("is refused when the file is not there", () => {
    expect(() => readCapture("/nowhere/a.jsonl")).toThrow("/nowhere/a.jsonl cannot be read");
  });
});
