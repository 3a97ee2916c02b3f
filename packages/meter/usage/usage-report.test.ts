import { describe, expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../testing/ledger/ledger-of.js";
import { createPrices } from "../prices/prices.js";
import { type Grouping, groupings, reportUsage, reportUsageInSlices } from "./usage-report.js";
import { cacheShare, warmShare } from "./usage-sum.js";

/** The tests run in Paris, where this day has 25 hours. */
const at = (day: number, hour = 0) => new Date(2026, 9, day, hour).getTime();
const prices = createPrices({ dear: { input: 10, output: 0 } });
const million = { input: 1_000_000 };

const ledger = ledgerOf({
  day: [
    rollUp({ startMs: at(18), model: "dear", tokens: { input: 5_000_000 } }),
    rollUp({ startMs: at(19), client: "zed", model: "dear", requests: 2, turns: 1, warm: 1, tokens: million }),
    rollUp({ startMs: at(25), client: "zed", model: "dear", requests: 3, turns: 2, cold: 1, tokens: million }),
    rollUp({
      startMs: at(25),
      client: "cline",
      model: "dear",
      requests: 1,
      turns: 1,
      estimatedTurns: 1,
      tokens: million,
    }),
    rollUp({
      startMs: at(25),
      client: "cline",
      model: "beta",
      requests: 4,
      failures: 1,
      tokens: { input: 7, cacheRead: 5 },
    }),
  ],
  hour: [
    rollUp({ startMs: at(25, 1), model: "dear", requests: 1, tokens: million }),
    rollUp({ startMs: at(25, 1), model: "beta", requests: 2, tokens: { input: 7 } }),
    rollUp({ startMs: at(25, 9), model: "dear", requests: 4, tokens: { input: 1 } }),
  ],
});

const report = (by: Grouping, days: number) => reportUsage(ledger, { by, days, prices, nowMs: at(25, 20) });
const shown = (by: Grouping, days: number) =>
  report(by, days).rows.map(({ day, hour, model, client, sum }) => [
    ...(day === undefined ? [] : [hour ?? day]),
    ...(model === undefined ? [] : [model]),
    ...(client === undefined ? [] : [client]),
    sum.requests,
  ]);

describe("a report on usage", () => {
  it("is by day and model from midnight of the first day, sorted by newest day and most input", () => {
    expect(shown("day", 7)).toEqual([
      ["2026-10-25", "dear", 4],
      ["2026-10-25", "beta", 4],
      ["2026-10-19", "dear", 2],
    ]);
    expect(shown("day", 1)).toHaveLength(2);
    expect(shown("day", 8)).toHaveLength(4);
  });

  it("merges the days of gateways in other time zones", () => {
    const rollUps = [-9, -1, 0, 6].map((hours) =>
      rollUp({ startMs: at(20) + hours * 3_600_000, requests: 1, model: "beta", tokens: million }),
    );
    const { rows } = reportUsage(ledgerOf({ day: rollUps }), { by: "day", days: 1, prices, nowMs: at(20, 13) });
    expect(rows.map(({ day, sum }) => [day, sum.requests])).toEqual([["2026-10-20", 4]]);
  });

  it("is by model, by client or by hour", () => {
    expect(shown("model", 7)).toEqual([
      ["dear", 6],
      ["beta", 4],
    ]);
    expect(shown("client", 7)).toEqual([
      ["zed", 5],
      ["cline", 5],
    ]);
    expect(shown("hour", 1)).toEqual([
      ["2026-10-25 09:00", 4],
      ["2026-10-25 01:00", 3],
    ]);
  });

  it("has the same total for every grouping", () => {
    const { total } = report("day", 7);
    expect(total).toMatchObject({ requests: 10, failures: 1, turns: 4, estimatedTurns: 1, warm: 1, cold: 1 });
    expect(total.tokens).toMatchObject({ input: 3_000_007, cacheRead: 5 });
    expect(report("client", 7).total).toEqual(total);
    expect(report("model", 7).total).toEqual(total);
  });

  it("prices each model separately, and names unpriced models in every sum", () => {
    expect(report("day", 7).total.cost).toEqual({ dollars: 30, unpricedModels: ["beta"] });
    expect(report("client", 7).rows.map(({ sum }) => sum.cost)).toEqual([
      { dollars: 20, unpricedModels: [] },
      { dollars: 10, unpricedModels: ["beta"] },
    ]);
  });

  it("has shares, unless the whole is zero", () => {
    const { total } = report("day", 7);
    expect(warmShare(total)).toBe(0.5);
    expect(cacheShare(total)).toBeCloseTo(5 / 3_000_007, 12);
    const { total: nothing } = reportUsage(ledgerOf(), { by: "day", days: 1, prices, nowMs: 0 });
    expect([warmShare(nothing), cacheShare(nothing)]).toEqual([undefined, undefined]);
  });
});

describe("a report in slices", () => {
  it("equals the synchronous one, for every grouping", async () => {
    for (const by of groupings) {
      for (const days of [1, 7, 8, 31]) {
        const sliced = await reportUsageInSlices(ledger, { by, days, prices, nowMs: at(25, 20) });
        expect(sliced).toEqual(report(by, days));
      }
    }
  });

  it("yields after a few hundred rows", async () => {
    const hours = Array.from({ length: 31 * 24 }, (_, hour) => at(1) + hour * 3_600_000);
    const models = Array.from({ length: 36 }, (_, index) => `model-${index}`);
    const rollUps = hours.flatMap((startMs) => models.map((model) => rollUp({ startMs, model, requests: 1 })));
    const whole = ledgerOf({ hour: rollUps });
    const read: number[] = [];
    let turns = 0;
    const counted: typeof whole = {
      ...whole,
      rollUps(span, fromMs, toMs) {
        const rows = whole.rollUps(span, fromMs, toMs);
        read.push(rows.length);
        setImmediate(() => turns++);
        return rows;
      },
    };
    const { total } = await reportUsageInSlices(counted, { by: "hour", days: 31, prices, nowMs: at(31, 22) });
    expect(total.requests).toBe(rollUps.length);
    expect(Math.max(...read)).toBeLessThan(300);
    expect(turns).toBeGreaterThanOrEqual(read.length - 1);
  });
});
