import { describe, expect, it } from "vitest";
import { findJsonFault } from "./json-fault.js";

describe("the first fault of a broken JSON text", () => {
  it.each([
    ["{a:1}", 1],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ["[01]", 2],
    ["[-]", 2],
    ["[1.]", 3],
    ["[+1]", 1],
    ["[tru]", 4],
    ["nulL", 3],
    ['["a\nb"]', 3],
    ['["\\x"]', 3],
    ['["\\u12g4"]', 6],
    ["{} {}", 3],
    ["{]", 1],
    ["[}", 1],
    ["'a'", 0],
    ["[1]]", 3],
    ["NaN", 0],
  ])("of %j is at %i", (text, offset) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonFault(text)).toMatchObject({ offset, isCut: false });
  });

  it.each(["", "{", "[", '{"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', '["\\', '["\\u00', "[tr", "[-", "[[[[", " \n"])(
    "of %j is that it ends too early",
    (text) => {
      expect(() => JSON.parse(text)).toThrow();
      expect(findJsonFault(text)).toMatchObject({ offset: text.length, isCut: true });
    },
  );

  it("has a line and column", () => {
    expect(findJsonFault('{\n  "a": 1,\n  b: 2\n}')).toEqual({ offset: 14, line: 3, column: 3, isCut: false });
  });

  it("is found in large texts, without reading deep nesting after it", () => {
    const long = `["${"x".repeat(5_000_000)}", oops]`;
    expect(findJsonFault(long).offset).toBe(5_000_005);
    expect(findJsonFault(`["a\n${"[".repeat(1_000_000)}`).offset).toBe(3);
  });
});
