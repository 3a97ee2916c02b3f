import { expect, it } from "vitest";
import { systemClock } from "../../system/clock.js";
import { ContentLoader, RecentContent } from "./content-loader.js";
import { defaultLimits } from "./limits.js";

const reach = { allows: () => false, lookup: () => Promise.resolve([]) };
const loader = new ContentLoader({ reach, clock: systemClock, limits: defaultLimits });

it.each([
  ["https://example.com/birds/curlew.png?token=s3cret", "curlew.png at example.com"],
  ["https://example.com:8443/file/bot123:AAH-secret/photo", "at example.com:8443"],
  ["https://me:hunter2@example.com/a.PDF#s3cret", "a.PDF at example.com"],
  ["https://example.com/", "at example.com"],
  ["nonsense", "without a valid address"],
])("shows no secret of %s", async (url, name) => {
  const failure = await loader.image(url, new AbortController().signal).catch((thrown: Error) => thrown.message);
  expect(failure).toMatch(
    new RegExp(`^The image ${name} could not be fetched: [^/]+\\. Send the image itself, as base64\\.$`),
  );
});

function setUp() {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  return { clock, recent: new RecentContent<string>(clock, { maxBytes: 1_000, maxAgeMs: 1_000 }) };
}

it("expires entries", () => {
  const { clock, recent } = setUp();
  recent.put("a", "A", 1);
  clock.nowMs = 999;
  expect([recent.get("a"), recent.get("b")]).toEqual(["A", undefined]);
  clock.nowMs = 1_000;
  expect(recent.get("a")).toBeUndefined();
});

it("evicts the least recently used entry", () => {
  const { recent } = setUp();
  recent.put("a", "A", 200);
  recent.put("b", "B", 200);
  recent.get("a");
  recent.put("c", "C", 200);
  expect([recent.get("a"), recent.get("b"), recent.get("c")]).toEqual(["A", undefined, "C"]);
});

it("does not hold oversized entries, and counts neither replaced nor expired ones", () => {
  const { clock, recent } = setUp();
  recent.put("a", "A", 800);
  expect(recent.get("a")).toBeUndefined();
  recent.put("b", "B", 300);
  recent.put("b", "B", 300);
  recent.put("c", "C", 180);
  expect([recent.get("b"), recent.get("c")]).toEqual(["B", "C"]);
  clock.nowMs = 1_000;
  expect([recent.get("b"), recent.get("c")]).toEqual([undefined, undefined]);
  recent.put("d", "D", 740);
  expect(recent.get("d")).toBe("D");
});

it("bounds empty entries and long keys too", () => {
  const { recent } = setUp();
  for (let index = 0; index < 100; index++) recent.put(`key ${index}`, "", 0);
  expect(recent.get("key 0")).toBeUndefined();
  expect(recent.get("key 99")).toBe("");
  recent.put("k".repeat(500), "", 0);
  expect(recent.get("k".repeat(500))).toBeUndefined();
});
