import { expect, it } from "vitest";
import { sampleEntry, sampleTokens } from "../../testing/ledger/sample-entries.js";
import { continuityText, isFailure, turnTokens } from "./entry.js";

it.each([
  [{ continuity: "warm" }, "warm"],
  [{ continuity: "resumed" }, "resumed"],
  [{ continuity: "warm:settings-changed", cacheMiss: "tools" }, "warm: tools changed"],
  [{ continuity: "cold:edited", cacheMiss: "messages" }, "cold: edited"],
  [{ continuity: "cold:settings-changed", cacheMiss: "model" }, "cold: model changed"],
  [{ continuity: "cold:unknown-call", cacheMiss: "unknown" }, "cold: unknown call"],
  [{ continuity: null }, ""],
])("how a conversation went on is said in words: %j", (changes, text) => {
  expect(continuityText(sampleEntry(changes))).toBe(text);
});

it("a client that left is no failure", () => {
  expect(["ok", "client-left", "timeout", "interrupted"].map(isFailure)).toEqual([false, false, true, true]);
});

it("a turn has taken what its requests have booked", () => {
  const booked = [null, sampleTokens({ estimated: true }), null, sampleTokens({ reasoning: 50 })];
  const turn = booked.map((tokens) => sampleEntry({ tokens }));
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
