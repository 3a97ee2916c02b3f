import { expect, it } from "vitest";
import { noonMs } from "../../testing/ledger/sample-entries.js";
import { answerOf } from "./running.js";
import { turnTimesOf } from "./timeline/turn-times.js";

it("draws a request that has not ended from what is known of it", () => {
  const answer = answerOf({
    id: "live-1",
    client: "opencode",
    dialect: "openai-chat",
    model: "auto",
    startedMs: noonMs,
    plannedMs: noonMs + 4,
    openedMs: noonMs + 10,
    firstByteMs: null,
    round: 0,
    continuity: "warm",
  });
  const { lanes } = turnTimesOf(answer.turn, noonMs + 2_000);
  expect(lanes[0]?.segments).toEqual([
    { phase: "curlew", fromMs: 0, toMs: 10 },
    { phase: "cursor", fromMs: 10, toMs: 2_000 },
  ]);
});
