import { expect, it } from "vitest";
import type { Sums } from "../../access/contract.js";
import { tokenParts } from "./today-card.js";

function parts(input: number, cached: number, output: number, reasoning: number) {
  const tokens = {
    input_tokens: input,
    cache_read_tokens: cached,
    output_tokens: output,
    reasoning_tokens: reasoning,
  };
  return tokenParts(tokens as Sums);
}

it("counts every token once", () => {
  expect(parts(1_000, 700, 200, 50).map(({ name, tokens }) => [name, tokens])).toEqual([
    ["Cached input", 700],
    ["New input", 300],
    ["Output", 150],
    ["Reasoning", 50],
  ]);
});

it("fills the meter, and keeps small parts visible", () => {
  const shares = parts(1_000_000, 990_000, 10, 0).map(({ share }) => share);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  expect(shares[2]).toBeGreaterThan(0.005);
  expect(shares[3]).toBe(0);
});

it("is empty without tokens", () => {
  expect(parts(0, 0, 0, 0).map(({ share }) => share)).toEqual([0, 0, 0, 0]);
});
