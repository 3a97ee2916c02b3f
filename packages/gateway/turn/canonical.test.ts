import { describe, expect, it } from "vitest";
import { canonicalCall, canonicalJson, isDeeperThan } from "./canonical.js";

describe.each([
  ["JSON", canonicalJson],
  ["a call", canonicalCall],
])("the canonical form of %s", (_, canonical) => {
  it.each([
    ["", "{}"],
    [" \n", "{}"],
    ['{"b":1,"a":[{"d":2,"c":3}]}', '{"a":[{"c":3,"d":2}],"b":1}'],
    ['{ "a" : 1.0 }', '{"a":1}'],
    ['{"a":1e2}', '{"a":100}'],
    ["9007199254740991", "9007199254740991"],
  ])("of %j is %j", (text, form) => expect(canonical(text)).toBe(form));

  it.each(["not json", "[".repeat(5_000) + "]".repeat(5_000)])("of %.40j is the text itself", (text) =>
    expect(canonical(text)).toBe(text),
  );
});

it.each(['{"b":1,"a":9007199254740993}', '{"b":[-12345678901234567890]}', '{ "a": 1e400 }'])(
  "distinguishes the call %j from its neighbours, but not in a transcript that a client sends back",
  (text) => {
    expect(canonicalCall(text)).toBe(text);
    expect(canonicalJson(text)).toBe(canonicalJson(JSON.stringify(JSON.parse(text))));
  },
);

it.each([
  { value: "text", depth: 1 },
  { value: [], depth: 1 },
  { value: { a: 1 }, depth: 2 },
  { value: [1, { a: [null] }], depth: 4 },
])("measures the depth of $value", ({ value, depth }) => {
  expect(isDeeperThan(value, depth)).toBe(false);
  expect(isDeeperThan(value, depth - 1)).toBe(true);
});

it("recurses no deeper than the given depth", () => {
  const text = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(isDeeperThan(JSON.parse(text), 500)).toBe(true);
});
