import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Random } from "../replay/random.js";
import { type Peaks, peaksText, readPeaks } from "./peaks.js";
import { Pieces, withoutPieces } from "./pieces.js";
import { planDay } from "./plan.js";
import { type MessageCost, playDay } from "./play.js";
import { reportDay, toTable } from "./report.js";

describe("the pieces of a day", () => {
  it("count as sent again from the second time on, in whatever form they are sent", () => {
    const pieces = new Pieces();
    const random = new Random(1);
    const [first, second] = [pieces.make(random, 500), pieces.make(random, 500)];
    expect(pieces.lost(`${first} ${second}`)).toEqual(["p000000", "p000001"]);
    pieces.count(Buffer.from(`\u0000\u0001${first}\u00ff`, "latin1"));
    expect(pieces.lost(`${first} ${second}`)).toEqual(["p000001"]);
    expect(pieces.bytesAgain).toBe(0);
    pieces.count(Buffer.from(JSON.stringify([{ text: `${second}\n${first}` }])));
    expect(pieces.bytesAgain).toBe(first.length);
    expect(withoutPieces(`one ${first}, two ${second}.`)).toBe("one, two.");
  });
});

describe("the plan of a day", () => {
  const shown = (seed: number) =>
    planDay(seed, 500, 20).map(({ conversation, kind, script }) => `${conversation} ${kind} ${script.directives}`);

  it("is the same for the same seed, and another for another", () => {
    expect(shown(3)).toEqual(shown(3));
    expect(shown(3)).not.toEqual(shown(4));
  });

  it("has every habit in 500 messages", () => {
    const kinds = new Set(planDay(1, 500, 20).map(({ kind }) => kind));
    expect(kinds.size).toBe(17);
  });

  it("lets the message after an abort say something else, in the same conversation", () => {
    const plan = planDay(1, 500, 20);
    for (const [index, { kind, conversation }] of plan.entries()) {
      const next = plan.slice(index + 1).find((message) => message.conversation === conversation);
      if (kind === "aborted" && next !== undefined) expect(next.kind).toBe("after aborted");
    }
  });
});

describe("the report of a day", () => {
  const cost: MessageCost = {
    conversation: 0,
    kind: "plain",
    runs: 1,
    bytes: 2_048,
    bytesAgain: 0,
    inputTokens: 100,
    cacheReadTokens: 90,
    continuities: ["warm", "warm"],
    faults: [],
  };

  it("counts messages with one run, and warm ones among those that can be", () => {
    const report = reportDay([
      { ...cost, kind: "first", continuities: ["cold:new"] },
      cost,
      { ...cost, continuities: ["warm:steered", "resumed"] },
      {
        ...cost,
        kind: "typed in",
        runs: 2,
        bytesAgain: 4_096,
        continuities: ["warm", "cold:superseded"],
        faults: ["x"],
      },
    ]);
    expect(report).toMatchObject({ messages: 4, oneRunShare: 0.75, runsPerMessage: 1.25, kibAgainPerMessage: 1 });
    expect(report.warmShare).toBeCloseTo(2 / 3);
    expect(report.cacheReadShare).toBe(0.9);
    expect(report.continuities).toEqual({
      "cold:new": 1,
      "cold:superseded": 1,
      resumed: 1,
      warm: 3,
      "warm:steered": 1,
    });
    expect(report.faults).toEqual(["typed in (3): x"]);
    expect(toTable("now", report)).toMatch(/^typed in +1 +2\.00 +0\.0 % +2\.0 +4\.0 +0\.0 % +90\.0 %$/m);
  });
});

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
    const { peaks } = read;
    const requests = costs.reduce((sum, { continuities }) => sum + continuities.length, 0);
    expect(peaks.day.requests).toBeGreaterThanOrEqual(requests);
    expect(peaks.conversation.requests).toBeGreaterThan(requests / 10);
    expect(peaks.day.tokens).toBeGreaterThan(peaks.conversation.tokens);
    expect(peaks.client.concurrent).toBeGreaterThan(0);
    expect(peaksText(peaks)).toContain(`${peaks.day.requests} requests in the day`);
  });
});
