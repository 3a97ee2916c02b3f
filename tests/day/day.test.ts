import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Peaks, peaksText, readPeaks } from "./peaks.js";
import { playDay } from "./play.js";
import { reportDay, toTable } from "./report.js";

const noPeaks: Peaks = {
  conversation: { tokens: 0, requests: 0 },
  hour: { tokens: 0, requests: 0 },
  day: { tokens: 0, requests: 0 },
  client: { concurrent: 0, perMinute: 0 },
};

describe("a short day", () => {
  it("loses nothing and does nothing twice", async () => {
    const read = { peaks: noPeaks };
    const onEnd = async (home: string) => {
      read.peaks = await readPeaks(join(home, "ledger"));
    };
    const costs = await playDay({ seed: 2, messages: 40, conversations: 3, onEnd });
    expect(costs.flatMap(({ faults }) => faults)).toEqual([]);
    expect(costs).toHaveLength(40);
    const plain = costs.filter(({ kind }) => kind === "plain");
    expect(plain.filter(({ runs }) => runs !== 1)).toEqual([]);
    expect(toTable("now", reportDay(costs))).toMatch(/^plain +\d+ +1\.00 +100\.0 %/m);
    const { peaks } = read;
    const requests = costs.reduce((sum, { continuities }) => sum + continuities.length, 0);
    // Limits count questions, not their tool rounds.
    expect(peaks.day.requests).toBeGreaterThanOrEqual(costs.length);
    expect(peaks.day.requests).toBeLessThan(requests);
    expect(peaks.conversation.requests).toBeGreaterThan(costs.length / 10);
    expect(peaks.day.tokens).toBeGreaterThan(peaks.conversation.tokens);
    expect(peaks.client.concurrent).toBeGreaterThan(0);
    expect(peaksText(peaks)).toContain(`${peaks.day.requests} requests in the day`);
  });
});
