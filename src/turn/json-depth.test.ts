import { expect, it } from "vitest";
import { isDeeperThan } from "./json-depth.js";

it.each([
  { value: "text", depth: 1 },
  { value: [], depth: 1 },
  { value: { a: 1 }, depth: 2 },
  { value: [1, { a: [null] }], depth: 4 },
])("a value is as deep as the values in it, and itself: $value", ({ value, depth }) => {
  expect(isDeeperThan(value, depth)).toBe(false);
  expect(isDeeperThan(value, depth - 1)).toBe(true);
});

it("asks no more of the stack than the depth that it asks for", () => {
  const text = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(isDeeperThan(JSON.parse(text), 500)).toBe(true);
});
