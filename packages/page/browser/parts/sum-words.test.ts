import { describe, expect, it } from "vitest";
import { noSums } from "../usage/sums.js";
import { costLabel, costNote, costText, estimates, splitTokens, warmNote } from "./sum-words.js";

const cost = (dollars: number | null, ...unpriced_models: string[]) => ({ dollars, unpriced_models });

describe("a cost in words", () => {
  it.each([
    [cost(6.41), "$6.41"],
    [cost(0), "$0.00"],
    [cost(6.41, "auto"), "at least $6.41"],
    [cost(null, "auto"), "no list price"],
  ])("%j is %s", (sum, text) => {
    expect(costText(sum)).toBe(text);
  });

  it.each([
    [cost(6.41), "Cost", "at list prices"],
    [cost(6.41, "auto"), "Cost, at least", "no list price for auto"],
    [cost(6.41, "auto", ""), "Cost, at least", "no list price for auto and unknown"],
    [cost(6.41, "a", "b", "c"), "Cost, at least", "no list price for a, b and c"],
    [cost(6.41, "a", "b", "c", "d"), "Cost, at least", "no list price for a, b and 2 others"],
    [cost(null, "auto"), "Cost", "no list price for auto"],
  ])("%j names what is missing in it", (sum, label, note) => {
    expect(costLabel(sum)).toBe(label);
    expect(costNote(sum, 3)).toBe(note);
  });
});

it.each([
  [{ turns: 9, estimated_turns: 0 }, undefined],
  [{ turns: 9, estimated_turns: 1 }, "Cursor sent no figures for 1 turn; its tokens are estimates."],
  [{ turns: 9, estimated_turns: 2 }, "Cursor sent no figures for 2 turns; their tokens are estimates."],
  [{ turns: 2, estimated_turns: 2 }, "Cursor sent no figures; the tokens are estimates."],
])("tells the estimates in %j", (counts, text) => {
  expect(estimates({ ...noSums, ...counts })).toBe(text);
});

it.each([
  [{ warm_turns: 1_300, cold_turns: 270 }, "1,300 of 1,570 continued"],
  [{ warm_turns: 0, cold_turns: 0 }, "none yet"],
])("tells the warm replies in %j", (counts, text) => {
  expect(warmNote({ ...noSums, ...counts })).toBe(text);
});

it.each([
  [{ input: 1_000, cacheRead: 700, output: 200, reasoning: 50 }, [700, 300, 50, 150]],
  [{ input: 10, cacheRead: 12, output: 5, reasoning: 9 }, [10, 0, 5, 0]],
])("counts every token of %j once", (tokens, counts) => {
  const { cached, fresh, reasoning, said } = splitTokens(tokens);
  expect([cached, fresh, reasoning, said]).toEqual(counts);
});
