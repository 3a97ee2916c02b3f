import { createPrices } from "@curlew/meter/prices/prices.js";
import { reportUsage, writeReport } from "@curlew/meter/usage/index.js";
import { describe, expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../../testing/ledger/ledger-of.js";
import type { UsageAnswer } from "../../access/contract.js";
import { addUp, addUpBy, allTokens, noSums, tokenParts } from "./sums.js";

const nowMs = new Date(2026, 10, 16, 12).getTime();
const models = ["dear", "cheap", "unpriced", "free"];
const clients = ["claude-cli/2.1.0", "", "=cmd|'/c calc'!A1"];

/** Realistic rows with distinct numbers. */
const rollUps = (startOf: (index: number) => number) =>
  Array.from({ length: 200 }, (_, index) =>
    rollUp({
      startMs: startOf(index),
      model: models[index % models.length] ?? "",
      client: clients[index % clients.length] ?? "",
      requests: 3 + index,
      failures: index % 5,
      turns: 1 + index,
      estimatedTurns: index % 3,
      warm: (index * 7) % 11,
      cold: index % 4,
      runs: 2 + index,
      retries: index % 2,
      sentBytes: 1_001 * index,
      receivedBytes: 2_003 * index,
      tokens: { input: 10_007 * index, output: 313 * index, cacheRead: 7_001 * index, cacheWrite: 11, reasoning: 5 },
    }),
  );
const ledger = ledgerOf({
  day: rollUps((index) => new Date(2026, 10, 16 - (index % 80)).getTime()),
  hour: rollUps((index) => new Date(2026, 10, 16, index % 12).getTime()),
});
const prices = createPrices({
  dear: { input: 10.1, output: 50.3 },
  cheap: { input: 0.7, output: 3.3, cacheRead: 0.07 },
  free: { input: 0, output: 0 },
});

/** The body of `GET /v1/usage` for this ledger. */
function answerOf(by: UsageAnswer["by"], days: number): UsageAnswer {
  return writeReport(reportUsage(ledger, { by, days, nowMs, prices }));
}

const { cost: _, ...counts } = noSums;

describe.each([
  { by: "day", days: 7, column: "day" },
  { by: "day", days: 90, column: "day" },
  { by: "day", days: 90, column: "model" },
  { by: "hour", days: 1, column: "starts_at" },
  { by: "model", days: 30, column: "model" },
  { by: "client", days: 30, column: "client" },
] as const)("the sums of rows by $by in $days days, by $column", ({ by, days, column }) => {
  const { data, total } = answerOf(by, days);
  const groups = [...addUpBy(data, column).values()];

  it("equal the total of the gateway", () => {
    expect(data.length).toBeGreaterThanOrEqual(3);
    for (const sum of [addUp(data), addUp(groups)]) {
      for (const name of Object.keys(counts) as (keyof typeof counts)[])
        expect([name, sum[name]]).toEqual([name, total[name]]);
      expect(sum.cost.dollars).toBeCloseTo(total.cost.dollars ?? Number.NaN, 9);
      expect(sum.cost.unpriced_models).toEqual(total.cost.unpriced_models);
      expect(sum.cost.unpriced_models).toEqual(["unpriced"]);
    }
  });

  it("split all tokens among the parts of a bar", () => {
    for (const sum of [...groups, total]) {
      const parts = tokenParts(sum);
      expect(parts.reduce((all, part) => all + part.total, 0)).toBe(allTokens(sum));
      expect(parts[0]?.total).toBe(sum.cache_read_tokens);
    }
  });
});

describe("a sum", () => {
  it("has a group for each name, including the empty one", () => {
    expect([...addUpBy(answerOf("client", 90).data, "client").keys()].sort()).toEqual([...clients].sort());
  });

  it("has no cost if nothing has a price, and names what is missing", () => {
    const unpriced = { ...noSums, cost: { dollars: null, unpriced_models: ["b", "a"] } };
    const priced = { ...noSums, cost: { dollars: 1.5, unpriced_models: [] } };
    expect(addUp([unpriced]).cost).toEqual({ dollars: null, unpriced_models: ["a", "b"] });
    expect(addUp([unpriced, priced, unpriced]).cost).toEqual({ dollars: 1.5, unpriced_models: ["a", "b"] });
    expect(addUp([]).cost).toEqual({ dollars: 0, unpriced_models: [] });
  });

  it("never has more cached input than input", () => {
    const odd = { ...noSums, input_tokens: 10, cache_read_tokens: 12, output_tokens: 1 };
    expect(tokenParts(odd).map(({ total }) => total)).toEqual([10, 0, 1]);
    expect(addUp([odd]).cache_share).toBe(1);
  });
});
