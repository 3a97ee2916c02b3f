import { RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { expect, it } from "vitest";
import { sampleRecord } from "../../../testing/ledger/sample-requests.js";
import { liveState } from "./views.js";

const waiting = (number: number) => ({
  request: sampleRecord(`w${number}`, 0),
  model: "auto",
  calls: 1,
  pausedMs: 0,
  leaseEndsMs: 1_000 - number,
});

it("lists the newest requests and the runs whose lease ends first, and counts the rest", () => {
  const records = Array.from({ length: 70 }, (_, number) => sampleRecord(`r${number}`, number));
  const state = liveState(
    records,
    Array.from({ length: 60 }, (_, number) => waiting(number)),
  );
  expect([state.requests.length, state.moreRequests]).toEqual([50, 20]);
  expect([state.requests[0]?.id, state.requests.at(-1)?.id]).toEqual(["r69", "r20"]);
  expect([state.waiting.length, state.moreWaiting]).toEqual([50, 10]);
  expect(state.waiting[0]).toEqual({
    id: "w59",
    client: "tester",
    model: "auto",
    calls: 1,
    pausedMs: 0,
    leaseEndsMs: 941,
  });
});

it("shows a new request with its requested model, and truncates names like the ledger", () => {
  const record = { ...new RequestRecord("g", "new", 5), client: "c".repeat(500), askedModel: "m".repeat(500) };
  expect(liveState([record], []).requests).toEqual([
    {
      id: "new",
      client: "c".repeat(200),
      dialect: "",
      model: "m".repeat(200),
      startedMs: 5,
      plannedMs: null,
      openedMs: null,
      firstByteMs: null,
      round: 0,
      side: null,
      continuity: null,
    },
  ]);
});
