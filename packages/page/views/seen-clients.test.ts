import { describe, expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../testing/ledger/ledger-of.js";
import { noonMs, sampleEntry } from "../../../testing/ledger/sample-entries.js";
import { seenClients } from "./seen-clients.js";

const DAY_MS = 86_400_000;
const today = new Date(2026, 10, 16).getTime();
const daysAgo = (days: number) => new Date(2026, 10, 16 - days).getTime();

describe("the clients of the last weeks", () => {
  it("are counted by day with the most precise time that the ledger has", async () => {
    const ledger = {
      ...ledgerOf({
        day: [
          rollUp({ startMs: daysAgo(40), client: "gone", requests: 9 }),
          rollUp({ startMs: daysAgo(29), client: "old", requests: 2 }),
          rollUp({ startMs: daysAgo(3), client: "zed", requests: 4 }),
          rollUp({ startMs: today, client: "zed", requests: 1 }),
          rollUp({ startMs: today, client: "zed", model: "other", requests: 1 }),
          rollUp({ startMs: today, client: "cline", requests: 5 }),
        ],
        hour: [
          rollUp({ startMs: today + 3_600_000, client: "zed", requests: 2 }),
          rollUp({ startMs: today + 7_200_000, client: "cline", requests: 5 }),
        ],
      }),
      entries: () => [sampleEntry({ client: "cline", atMs: noonMs })],
    };
    expect(await seenClients(ledger, noonMs)).toEqual([
      { name: "cline", lastSeenMs: noonMs, requests: 5 },
      { name: "zed", lastSeenMs: today + 3_600_000, requests: 6 },
      { name: "old", lastSeenMs: daysAgo(29), requests: 2 },
    ]);
  });

  it("cover each of the thirty days", async () => {
    const day = Array.from({ length: 30 }, (_, index) =>
      rollUp({ startMs: daysAgo(index), client: "daily", requests: 1 }),
    );
    expect(await seenClients(ledgerOf({ day }), noonMs + DAY_MS / 4)).toMatchObject([{ requests: 30 }]);
  });
});
