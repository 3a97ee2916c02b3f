import { describe, expect, it } from "vitest";
import { noonMs, sampleEntry } from "../../testing/ledger/sample-entries.js";
import { continuityText, continuityTone, dayText, isFailure, outcomeText, shortId } from "./words.js";

describe("how a conversation went on", () => {
  it.each([
    [{ continuity: "warm" }, "warm", "good"],
    [{ continuity: "resumed" }, "resumed", "good"],
    [{ continuity: "warm:settings-changed", cacheMiss: "tools" }, "warm: tools changed", "caution"],
    [{ continuity: "cold:edited", cacheMiss: "messages", sentAgainTokens: 9 }, "cold: edited", "caution"],
    [{ continuity: "cold:settings-changed", cacheMiss: "model" }, "cold: model changed", "plain"],
    [{ continuity: "cold:unknown-call", cacheMiss: "unknown" }, "cold: unknown call", "plain"],
    [{ continuity: null }, "", "good"],
  ])("%j is said in words", (changes, text, tone) => {
    const entry = sampleEntry(changes);
    expect([continuityText(entry), continuityTone(entry)]).toEqual([text, tone]);
  });
});

it("takes a client that left for no failure", () => {
  expect(["ok", "client-left", "timeout", "interrupted"].map(isFailure)).toEqual([false, false, true, true]);
  expect(outcomeText("rate_limit_exceeded")).toBe("rate limit exceeded");
});

it("shortens ids of Curlew's own alone", () => {
  expect([shortId("3f2a9c01-7f11-4a5e-9d5c-1f2e3d4c5b6a"), shortId("my-request")]).toEqual(["3f2a9c01", "my-request"]);
});

const DAY_MS = 86_400_000;
it.each([
  [noonMs, "Today"],
  [noonMs - DAY_MS, "Yesterday"],
  [noonMs - 2 * DAY_MS, "Sat 14 Nov"],
  [noonMs - 365 * DAY_MS, "16 Nov 2025"],
])("%d is a day in words", (atMs, text) => {
  expect(dayText(atMs, noonMs)).toBe(text);
});
