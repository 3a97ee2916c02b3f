import { expect, it } from "vitest";
import { noonMs } from "../../../../testing/ledger/sample-entries.js";
import { sampleLive } from "../../../../testing/page/sample-live.js";
import { answerOf } from "./detail.js";
import { turnTimesOf } from "./timeline/turn-times.js";

it("shows a running request with what is known so far", () => {
  const answer = answerOf(sampleLive({ startedMs: noonMs, plannedMs: noonMs + 4, openedMs: noonMs + 10 }));
  const { lanes } = turnTimesOf(answer.turn, noonMs + 2_000);
  expect(lanes[0]?.segments).toEqual([
    { phase: "curlew", fromMs: 0, toMs: 10 },
    { phase: "cursor", fromMs: 10, toMs: 2_000 },
  ]);
});
