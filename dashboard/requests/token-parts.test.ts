import { expect, it } from "vitest";
import { sampleTokens } from "../../testing/ledger/sample-entries.js";
import { cachedShare, partsOf } from "./token-parts.js";

it("counts every token in one part", () => {
  const tokens = sampleTokens({ reasoning: 300 });
  const parts = partsOf(tokens);
  expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(tokens.input + tokens.output);
  expect(parts.map(({ name, count }) => `${name} ${count}`)).toEqual([
    "Cached input 12000",
    "New input 345",
    "Reasoning 300",
    "Other output 550",
  ]);
});

it("claims nothing of a cache that nobody has reported on", () => {
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 0 }))).toBe(0);
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 0, estimated: true }))).toBeUndefined();
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 40, estimated: true }))).toBe(0.4);
  expect(cachedShare(sampleTokens({ input: 0, cacheRead: 0 }))).toBeUndefined();
});
