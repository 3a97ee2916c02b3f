import { shortId } from "@curlew/gateway/system/format.js";
import { expect, it } from "vitest";
import { noonMs, sampleEntry, sampleTokens } from "../../../../testing/ledger/sample-entries.js";
import { cachedShare, continuityTone, dayText, outcomeText, partsOf } from "./words.js";

it.each([
  [{ continuity: "warm" }, "good"],
  [{ continuity: "warm:settings-changed", cacheMiss: "tools" }, "caution"],
  [{ continuity: "cold:edited", cacheMiss: "messages", sentAgainTokens: 9 }, "caution"],
  [{ continuity: "cold:unknown-call", cacheMiss: "unknown" }, "plain"],
  [{ continuity: null }, "good"],
])("%j is highlighted if avoidable", (changes, tone) => {
  expect(continuityTone(sampleEntry(changes))).toBe(tone);
});

it("writes outcomes as words", () => {
  expect(outcomeText("rate_limit_exceeded")).toBe("rate limit exceeded");
});

it("shortens only Curlew's own ids", () => {
  expect([shortId("3f2a9c01-7f11-4a5e-9d5c-1f2e3d4c5b6a"), shortId("my-request")]).toEqual(["3f2a9c01", "my-request"]);
});

const DAY_MS = 86_400_000;
it.each([
  [noonMs, "Today"],
  [noonMs - DAY_MS, "Yesterday"],
  [noonMs - 2 * DAY_MS, "Sat 14 Nov"],
  [noonMs - 365 * DAY_MS, "16 Nov 2025"],
])("formats the day of %d", (atMs, text) => {
  expect(dayText(atMs, noonMs)).toBe(text);
});

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

it("shows no cached share without a report from Cursor", () => {
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 0 }))).toBe(0);
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 0, estimated: true }))).toBeUndefined();
  expect(cachedShare(sampleTokens({ input: 100, cacheRead: 40, estimated: true }))).toBe(0.4);
  expect(cachedShare(sampleTokens({ input: 0, cacheRead: 0 }))).toBeUndefined();
});
