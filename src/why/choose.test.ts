import { expect, it } from "vitest";
import { noonMs, sampleEntry, sampleTokens } from "../../testing/ledger/sample-entries.js";
import { chooseTurn } from "./index.js";

const small = sampleEntry({ id: "small", atMs: noonMs - 3_000 });
const dear = sampleEntry({ id: "dear", atMs: noonMs - 2_000, tokens: sampleTokens({ input: 90_000 }) });
const cold = sampleEntry({ id: "cold", atMs: noonMs - 1_000, continuity: "cold:edited", sentAgainTokens: 48_213 });

it("takes the turn that sent the most of its conversation again", () => {
  expect(chooseTurn([small, dear, cold])).toEqual({
    entry: cold,
    because: "Of the last 3 turns, this one sent the most of its conversation again: about 48,000 tokens.",
  });
});

it("takes the dearest where nothing was sent again", () => {
  expect(chooseTurn([dear, small])).toEqual({
    entry: dear,
    because:
      "Of the last 2 turns, this one took the most: 78,850 tokens that the model read outside the cache or wrote.",
  });
});

it("counts the requests of a turn as one", () => {
  const [first, second] = ["a", "b"].map((id, round) =>
    sampleEntry({ id, turnId: "a", round, atMs: noonMs + round, tokens: round === 0 ? null : sampleTokens() }),
  );
  const chosen = chooseTurn([second ?? small, first ?? small]);
  expect(chosen?.entry.id).toBe("a");
  expect(chosen?.because).toMatch(/^The only turn took 1,195 tokens/);
});

it("takes the last failure where no tokens are booked", () => {
  const failed = sampleEntry({ id: "failed", tokens: null, outcome: "timeout" });
  expect(chooseTurn([sampleEntry({ id: "open", tokens: null, atMs: noonMs + 1 }), failed])).toEqual({
    entry: failed,
    because: "No turn has any tokens booked; this is the last one that failed.",
  });
});

it("has nothing to say about nothing", () => {
  expect(chooseTurn([])).toBeUndefined();
});
