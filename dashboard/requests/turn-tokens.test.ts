import { expect, it } from "vitest";
import { sampleEntry, sampleTokens } from "../../testing/ledger/sample-entries.js";
import { cachedShare, partsOf, turnTokens } from "./turn-tokens.js";

it("sums up what the requests of a turn have booked", () => {
  const booked = [null, sampleTokens({ estimated: true }), null, sampleTokens({ reasoning: 50 })];
  const turn = booked.map((tokens) => ({ entry: sampleEntry({ tokens }), detail: null }));
  expect(turnTokens(turn)).toEqual({
    input: 24_690,
    output: 1_700,
    cacheRead: 24_000,
    cacheWrite: 0,
    reasoning: 50,
    estimated: true,
  });
  expect(turnTokens(turn.slice(0, 1))).toBeNull();
});

it("counts every token in one part", () => {
  const tokens = sampleTokens({ reasoning: 300 });
  const parts = partsOf(tokens);
  expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(tokens.input + tokens.output);
  expect(parts.map(({ name, count }) => `${name} ${count}`)).toEqual([
    "Input from the cache 12000",
    "New input 345",
    "Thinking 300",
    "Other output 550",
  ]);
});

it("claims nothing of a cache that nobody has reported on", () => {
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 0 }))).toBe(0);
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 0, estimated: true }))).toBeUndefined();
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 40, estimated: true }))).toBe(0.4);
  expect(cachedShare(sampleTokens({ input: 0, cacheRead: 0 }))).toBeUndefined();
});
