import { describe, expect, it } from "vitest";
import { GatewayError } from "../../../turn/error.js";
import { parseJson } from "./parse-json.js";

function problemOf(bytes: Buffer): string {
  try {
    parseJson(bytes);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "invalid_json") return thrown.message;
    throw thrown;
  }
  throw new Error("it was accepted");
}

describe("the JSON of a body", () => {
  it("is read, with or without a byte order mark", () => {
    expect(parseJson(Buffer.from('{"a":"é"}'))).toEqual({ a: "é" });
    expect(parseJson(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  });

  it("is refused with the position of the fault when broken, without a word of its text", () => {
    const problem = problemOf(Buffer.from('{\n "secret": "prompt",\n oops\n}'));
    expect(problem).toBe("The body is not valid JSON at line 3, column 2 (position 24).");
    expect(problemOf(Buffer.from('{"secret": "pro'))).toBe(
      "The body is cut off: it ends in the middle of its JSON, at line 1, column 16 (position 15).",
    );
  });

  it("is refused without a position when it is very long, since nobody waits for the search", () => {
    expect(problemOf(Buffer.from(`${" ".repeat(3_000_000)}oops`))).toBe("The body is not valid JSON.");
  });

  it("is refused when it is no UTF-8, and when there is none", () => {
    expect(problemOf(Buffer.from([0x22, 0xff, 0x22]))).toContain("not valid UTF-8");
    expect(problemOf(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toContain("not valid UTF-8");
    for (const empty of ["", " \n", "\uFEFF"]) expect(problemOf(Buffer.from(empty))).toContain("empty");
  });
});
