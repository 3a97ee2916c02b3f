import { expect, it } from "vitest";
import { noonMs, sampleDetail, sampleEntry } from "../../../../../testing/ledger/sample-entries.js";
import { phaseSums, placeIn, type Segment, turnTimesOf } from "./turn-times.js";

const spans = (segments: readonly Segment[] = []) =>
  segments.map(({ phase, fromMs, toMs }) => `${phase} ${fromMs}-${toMs}`);

it("divides a request into Curlew, waiting and reply", () => {
  const entry = sampleEntry({ firstByteMs: 1_200, totalMs: 8_400 });
  const { wholeMs, lanes } = turnTimesOf([{ entry, detail: sampleDetail({ plannedMs: 2, openedMs: 10 }) }]);
  expect(wholeMs).toBe(8_400);
  expect(spans(lanes[0]?.segments)).toEqual(["curlew 0-10", "cursor 10-1200", "reply 1200-8400"]);
  expect(lanes[0]?.moments.map(({ name, atMs }) => `${name} ${atMs}`)).toEqual([
    "received 0",
    "planned 2",
    "opened 10",
    "first byte 1200",
    "finished 8400",
  ]);
});

it("knows waiting and reply even without details", () => {
  const { lanes } = turnTimesOf([{ entry: sampleEntry(), detail: null }]);
  expect(spans(lanes[0]?.segments)).toEqual(["cursor 0-1200", "reply 1200-8400"]);
});

it("cuts Curlew's own tools out of the segments they interrupt, so that no time counts twice", () => {
  const pauses = [
    { startedMs: 600, endedMs: 1_500, calls: 1 },
    { startedMs: 3_000, endedMs: 4_000, calls: 2 },
  ];
  const times = turnTimesOf([{ entry: sampleEntry(), detail: sampleDetail({ pauses }) }]);
  expect(spans(times.lanes[0]?.segments)).toEqual([
    "curlew 0-10",
    "cursor 10-600",
    "own-tools 600-1500",
    "reply 1500-3000",
    "own-tools 3000-4000",
    "reply 4000-8400",
  ]);
  expect(phaseSums(times).reduce((sum, { ms }) => sum + ms, 0)).toBe(8_400);
});

it("puts the client's tools before the request that brings their results", () => {
  const first = sampleEntry({ id: "a", totalMs: 3_000 });
  const second = sampleEntry({ id: "b", round: 1, atMs: noonMs + 7_200, firstByteMs: 640, totalMs: 2_700 });
  const times = turnTimesOf([
    { entry: first, detail: sampleDetail() },
    { entry: second, detail: sampleDetail({ openedMs: null, plannedMs: 3, clientToolsMs: 4_200 }) },
  ]);
  expect(times.wholeMs).toBe(9_900);
  expect(spans(times.lanes[1]?.segments)).toEqual([
    "client-tools 3000-7200",
    "curlew 7200-7203",
    "cursor 7203-7840",
    "reply 7840-9900",
  ]);
  expect(phaseSums(times)).toEqual([
    { phase: "curlew", ms: 13 },
    { phase: "cursor", ms: 1_190 + 637 },
    { phase: "reply", ms: 1_800 + 2_060 },
    { phase: "client-tools", ms: 4_200 },
  ]);
});

it("shows no tools before the start of the turn, whose first requests may be missing", () => {
  const { lanes } = turnTimesOf([{ entry: sampleEntry({ round: 2 }), detail: sampleDetail({ clientToolsMs: 9_000 }) }]);
  expect(spans(lanes[0]?.segments)[0]).toBe("curlew 0-10");
});

it("lasts until now while a request runs", () => {
  const entry = sampleEntry({ firstByteMs: null, totalMs: null });
  const runsAtMs = noonMs + 5_000;
  const [lane] = turnTimesOf([{ entry, detail: sampleDetail() }], runsAtMs).lanes;
  expect(lane?.isRunning).toBe(true);
  expect(spans(lane?.segments)).toEqual(["curlew 0-10", "cursor 10-5000"]);
  expect(lane?.moments.map(({ name }) => name)).toEqual(["received", "planned", "opened"]);
  const unplanned = turnTimesOf([{ entry, detail: sampleDetail({ plannedMs: null, openedMs: null }) }], runsAtMs);
  expect(spans(unplanned.lanes[0]?.segments)).toEqual(["curlew 0-5000"]);
});

it("knows that a refused request did not wait for Cursor", () => {
  const entry = sampleEntry({ firstByteMs: 3, totalMs: 3, outcome: "model_not_found" });
  const detail = { plannedMs: null, openedMs: null };
  const [lane] = turnTimesOf([{ entry, detail: sampleDetail(detail) }]).lanes;
  expect(spans(lane?.segments)).toEqual(["curlew 0-3"]);
  const [joined] = turnTimesOf([{ entry, detail: sampleDetail({ ...detail, joined: "other" }) }]).lanes;
  expect(spans(joined?.segments)).toEqual(["cursor 0-3"]);
});

it("ends an interrupted request at its last known time", () => {
  const entry = sampleEntry({ totalMs: null, outcome: "interrupted" });
  const [lane] = turnTimesOf([{ entry, detail: null }]).lanes;
  expect(lane).toMatchObject({ isRunning: false, toMs: 1_200 });
});

it("has a length even if nothing took any time", () => {
  const entry = sampleEntry({ firstByteMs: null, totalMs: 0, outcome: "invalid_request" });
  expect(turnTimesOf([{ entry, detail: null }])).toMatchObject({ wholeMs: 1, lanes: [{ segments: [] }] });
});

it("distinguishes the requests of a turn with equal ids", () => {
  const entries = [0, 1, 2].map((round) => sampleEntry({ id: "same", round, atMs: noonMs + round }));
  const turn = entries.map((entry) => ({ entry, detail: null }));
  expect(entries.map((entry) => placeIn(turn, entry))).toEqual([0, 1, 2]);
  expect(turnTimesOf(turn.slice(1, 2), undefined, 2).lanes.map(({ number }) => number)).toEqual([2]);
});
