import { expect, it } from "vitest";
import { noonMs, sampleEntry } from "../../testing/ledger/sample-entries.js";
import { continuityTone, dayText, outcomeText, shortId } from "./words.js";

it.each([
  [{ continuity: "warm" }, "good"],
  [{ continuity: "warm:settings-changed", cacheMiss: "tools" }, "caution"],
  [{ continuity: "cold:edited", cacheMiss: "messages", sentAgainTokens: 9 }, "caution"],
  [{ continuity: "cold:unknown-call", cacheMiss: "unknown" }, "plain"],
  [{ continuity: null }, "good"],
])("%j stands out as much as it could have been avoided", (changes, tone) => {
  expect(continuityTone(sampleEntry(changes))).toBe(tone);
});

it("says an outcome in words", () => {
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
