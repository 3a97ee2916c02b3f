import { expect, it } from "vitest";
import { noonMs, sampleDetail, sampleEntry } from "../../../../../testing/ledger/sample-entries.js";
import { labelsOf, layoutLanes, MIN_WIDTH } from "./layout.js";
import { turnTimesOf } from "./turn-times.js";

function lanesOf(widthPx: number, totalMs: number, firstByteMs = totalMs / 2) {
  const entry = sampleEntry({ firstByteMs, totalMs });
  return layoutLanes(turnTimesOf([{ entry, detail: sampleDetail({ plannedMs: 2, openedMs: 10 }) }]), widthPx);
}

it("is to scale", () => {
  const [lane] = lanesOf(1_000, 100, 40);
  expect(lane?.boxes.map(({ x, width }) => [x, width])).toEqual([
    [0, 100],
    [100, 300],
    [400, 600],
  ]);
  expect(lane?.endX).toBe(1_000);
});

it("widens segments that are too short, and leaves the others in place", () => {
  const [lane] = lanesOf(800, 16_000);
  const [curlew, cursor, reply] = lane?.boxes ?? [];
  expect(curlew).toMatchObject({ x: 0, width: MIN_WIDTH, isWidened: true });
  expect(cursor).toMatchObject({ x: 0.5, width: 399.5, isWidened: false });
  expect(reply).toMatchObject({ x: 400, width: 400, isWidened: false });
});

it("keeps widened segments within the axis", () => {
  const entries = [
    sampleEntry({ id: "a", totalMs: 60_000 }),
    sampleEntry({ id: "b", round: 1, atMs: noonMs + 60_000, firstByteMs: 1, totalMs: 2 }),
  ];
  const lanes = layoutLanes(turnTimesOf(entries.map((entry) => ({ entry, detail: null }))), 300);
  for (const { x, width } of lanes[1]?.boxes ?? []) expect(x + width).toBeLessThanOrEqual(300);
});

it("merges close moments into one mark", () => {
  const [lane] = lanesOf(800, 16_000);
  expect(lane?.marks.map(({ moments }) => moments.map(({ name }) => name))).toEqual([
    ["received", "planned", "opened"],
    ["first byte"],
    ["finished"],
  ]);
  expect(lanesOf(800, 30)[0]?.marks).toHaveLength(5);
});

it("omits marks that would hide the request", () => {
  const entries = [sampleEntry({ id: "a", totalMs: 600_000 }), sampleEntry({ id: "b", atMs: noonMs + 600_000 })];
  const lanes = layoutLanes(turnTimesOf(entries.map((entry) => ({ entry, detail: null }))), 800);
  expect(lanes.map(({ marks }) => marks.length)).toEqual([2, 0]);
});

it("labels the marks, on as many lines as needed", () => {
  const marks = lanesOf(800, 16_000)[0]?.marks ?? [];
  expect(labelsOf(marks, 800)).toEqual([
    { x: 0, anchor: "start", text: "received, planned, opened", line: 0 },
    { x: 400, anchor: "middle", text: "first byte", line: 0 },
    { x: 800, anchor: "end", text: "finished", line: 0 },
  ]);
  const narrow = lanesOf(280, 16_000, 6_000)[0]?.marks ?? [];
  expect(labelsOf(narrow, 280).map(({ text, line }) => [text, line])).toEqual([
    ["received, planned, opened", 0],
    ["first byte", 1],
    ["finished", 0],
  ]);
});
