import { readCursorPlan } from "@curlew/gateway/backends/cursor/plan.js";
import type { RollUp } from "@curlew/meter/ledger/index.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import { type Grouping, reportUsage } from "@curlew/meter/usage/index.js";
import { describe, expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../../testing/ledger/ledger-of.js";
import { createColors } from "../../terminal/print.js";
import { toJson } from "../usage.js";
import { describeUsage, type ShownUsage } from "./describe.js";

const nowMs = new Date(2026, 10, 30, 12).getTime();
const today = new Date(2026, 10, 30).getTime();
const plain = { colors: createColors(false), drawsBars: false, columns: Number.POSITIVE_INFINITY, nowMs };
const prices = createPrices({ cheap: { input: 2, output: 10, cacheRead: 1 } });

function through(rollUps: readonly RollUp[], by: Grouping = "day", days = 7) {
  return reportUsage(ledgerOf({ day: rollUps, hour: rollUps }), { by, days, nowMs, prices });
}

const empty: ShownUsage = { account: null, problem: "No answer.", through: through([]) };

function account(planUsage: object, more: object = {}): ShownUsage {
  return { ...empty, problem: null, account: readCursorPlan({ planUsage, ...more }, {}) };
}

describe("usage in words", () => {
  it("draws bars on request, in proportion to use", () => {
    const drawn = describeUsage(account({ totalPercentUsed: 50 }), { ...plain, drawsBars: true });
    expect(drawn).toContain(`used       50%    ${"█".repeat(12)}${"░".repeat(12)}\n`);
    expect(describeUsage(account({ totalPercentUsed: 50 }), plain)).toContain("used       50%\n");
  });

  it("names the pools as Cursor's dashboard does", () => {
    const text = describeUsage(account({ totalPercentUsed: 50, autoPercentUsed: 10, apiPercentUsed: 90 }), plain);
    expect(text).toContain("used            50%\n  Cursor Models 10%\n  Other Models  90%\n");
  });

  it("says from which pool a model drew, if Cursor names those of its own pool", () => {
    const took = (model: string) => rollUp({ startMs: today, model, turns: 1, requests: 1 });
    const shown = (autoBucketModels: readonly string[], by: Grouping) => {
      const used = through([took("k3-high"), took("gpt-5"), took("auto")], by);
      return describeUsage({ ...account({}, { autoBucketModels }), through: used }, plain);
    };
    for (const by of ["day", "model"] as const) {
      const text = shown(["k3"], by);
      expect(text).toMatch(/MODEL +POOL +TURNS/);
      expect(text).toMatch(/k3-high +Cursor /);
      expect(text).toMatch(/gpt-5 +Other /);
      expect(text).toMatch(/auto +Cursor /);
    }
    expect(shown(["k3"], "client")).not.toContain("POOL");
    expect(shown([], "model")).not.toContain("POOL");
  });

  it("explains why percentage and dollars differ, if there are both", () => {
    const note = "Cursor works out the percentages and the dollars separately, so they need not match.\n";
    const both = { totalPercentUsed: 31, totalSpend: 1_240, limit: 2_000 };
    expect(describeUsage(account(both), plain)).toMatch(new RegExp(`\\$12\\.40 of \\$20\\.00[^]*${note}`));
    expect(describeUsage(account({ totalPercentUsed: 31 }), plain)).not.toContain(note);
  });

  it("keeps a bar within its frame when more than everything is used", () => {
    const drawn = describeUsage(account({ totalPercentUsed: 140.25 }), { ...plain, drawsBars: true });
    expect(drawn).toContain(`used       140.3% ${"█".repeat(24)}\n`);
  });

  it("warns by colour when little is left", () => {
    const colors = createColors(true);
    const drawn = (percent: number) =>
      describeUsage(account({ totalPercentUsed: percent }), { ...plain, colors, drawsBars: true });
    expect(drawn(100)).toContain(colors.red("█".repeat(24)));
    expect(drawn(85)).toContain(colors.yellow("█".repeat(20)));
    expect(drawn(10)).toContain(colors.green("██"));
  });

  it("says when the plan resets, in a day or in the past", () => {
    const end = (ms: number) => describeUsage(account({}, { billingCycleEnd: ms }), plain);
    expect(end(Date.UTC(2026, 11, 1))).toContain("resets     2026-12-01, in 1 day\n");
    expect(end(Date.UTC(2026, 10, 1))).toContain("resets     2026-11-01\n");
  });

  it("says what is paid beyond the plan", () => {
    const onDemand = (individualLimit: number) =>
      describeUsage(account({}, { spendLimitUsage: { individualLimit, individualUsed: 350 } }), plain);
    expect(onDemand(5_000)).toContain("on demand  $3.50 of $50.00\n");
    expect(onDemand(2_147_483_647)).toContain("on demand  $3.50, without a limit\n");
  });

  it("says why the account is unknown", () => {
    expect(describeUsage(empty, plain)).toBe(
      "account    No answer.\n\nNothing went through Curlew in the last 7 days.\n",
    );
    expect(describeUsage({ ...empty, through: through([], "day", 1) }, plain)).toContain(
      "Nothing went through Curlew today.\n",
    );
  });

  it("omits an account that was not asked about", () => {
    const local = { account: undefined, problem: null, through: through([], "day", 1) };
    expect(describeUsage(local, plain)).toBe("Nothing went through Curlew today.\n");
    expect(toJson(local)).toMatchObject({ account: null, problem: null });
  });
});

describe("what went through Curlew, in words", () => {
  const tokens = { input: 1_000_000, cacheRead: 750_000, cacheWrite: 1_000, output: 20_000, reasoning: 3 };
  const rows = [
    rollUp({
      ...{
        startMs: today,
        client: "zed",
        model: "cheap",
        messages: 2,
        turns: 2,
        requests: 3,
        warm: 1,
        cold: 2,
        tokens,
      },
      ...{ runs: 3, suggestion: 1 },
    }),
    rollUp({
      ...{ startMs: today, client: "cline", model: "beta", turns: 1, estimatedTurns: 1, tokens: { input: 12_000 } },
      ...{ runs: 1, title: 1 },
    }),
  ];
  const text = (by: Grouping, of = rows) => describeUsage({ ...empty, through: through(of, by) }, plain);

  it("drops columns on a narrow terminal, and has no row for refused requests", () => {
    const refused = rollUp({ startMs: today, client: "zed", model: "chaep", turns: 0, requests: 1 });
    const narrow = describeUsage({ ...empty, through: through([...rows, refused], "day") }, { ...plain, columns: 80 });
    expect(narrow).toMatch(/^DAY +MODEL +TURNS +RUNS +INPUT +CACHED +OUTPUT +WARM +COST$/m);
    expect(narrow).toMatch(/^2026-11-30 +cheap +2 +1\.50 +1,000,000 +75% +20,000 +33% +\$1\.45$/m);
    expect(narrow).not.toContain("chaep");
  });

  it("has tokens by kind, shares and costs, and adds them up", () => {
    expect(text("day")).toMatch(/^DAY +MODEL +TURNS +RUNS +INPUT +CACHED +WRITTEN +OUTPUT +REASONING +WARM +COST$/m);
    expect(text("day")).toMatch(/^2026-11-30 +cheap +2 +1\.50 +1,000,000 +75% +1,000 +20,000 +3 +33% +\$1\.45$/m);
    expect(text("day")).toMatch(/^2026-11-30 +beta +1 +12,000 +0% +0 +0 +0 +unknown$/m);
    expect(text("day")).toMatch(/^total +3 +2\.00 +1,012,000 .* at least \$1\.45$/m);
  });

  it("notes below the runs, the saving by the cache, models without a price, estimates, and what columns mean", () => {
    expect(text("day").split("\n").slice(-7)).toEqual([
      "4 runs for 2 messages, 2 of them for side requests (title 1, suggestion 1).",
      "The cache saved 750,000 tokens of input.",
      "At list prices this cost at least $1.45; beta has no list price.",
      "1 turn had no usage data from Cursor; its numbers are estimates.",
      "RUNS: runs per message; a message is what a person typed, with all its rounds of tools.",
      "WARM: turns that continued a stored state instead of starting from the transcript.",
      "",
    ]);
  });

  it.each([
    [["cheap"], "At list prices this cost $1.45."],
    [["beta"], "The cost is unknown: beta has no list price."],
    [["beta", "new", "newer"], "The cost is unknown: beta, new and newer have no list price."],
    [["cheap", "beta", "new"], "At list prices this cost at least $1.45; beta and new have no list price."],
  ])("states the cost of %j in a sentence", (models, sentence) => {
    const of = models.map((model) => rollUp({ startMs: today, model, turns: 1, tokens }));
    expect(text("day", of).split("\n")).toContain(sentence);
  });

  it.each([
    ["model", /^MODEL +TURNS/m, /^cheap +2 /m],
    ["client", /^CLIENT +TURNS/m, /^zed +2 /m],
    ["hour", /^HOUR +TURNS/m, /^2026-11-30 00:00 +3 /m],
  ] as const)("is by %s on request", (by, head, row) => {
    expect(text(by)).toMatch(head);
    expect(text(by)).toMatch(row);
  });

  it("keeps a name that a client chose to one short line", () => {
    const long = text("client", [rollUp({ startMs: today, client: `a\nb ${"c".repeat(100)}`, turns: 1 })]);
    expect(long).toContain(`a b ${"c".repeat(35)}… `);
    expect(text("client", [rollUp({ startMs: today, turns: 1 })])).toMatch(/^unknown +1 /m);
  });
});

describe("usage as JSON", () => {
  it("keeps the fields that scripts know, and has the new ones", () => {
    const json = toJson({
      ...empty,
      through: through([rollUp({ startMs: today, model: "beta", turns: 1, warm: 1, tokens: { input: 9 } })]),
    });
    const none = [
      ...["estimatedTurns", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens", "coldTurns"],
      ...["cacheShare", "savedTokens", "requests", "failures", "runs", "retries", "sentBytes", "receivedBytes"],
    ];
    const figures = {
      ...Object.fromEntries(none.map((name) => [name, 0])),
      ...{ turns: 1, inputTokens: 9, warmTurns: 1, warmShare: 1 },
      ...{ messages: 0, runsPerMessage: null, sideRuns: { title: 0, suggestion: 0, compaction: 0, check: 0 } },
      cost: { dollars: null, unpricedModels: ["beta"] },
    };
    const entries = [{ day: "2026-11-30", startsAt: "2026-11-29T23:00:00.000Z", model: "beta", ...figures }];
    expect(json).toEqual({
      account: null,
      problem: "No answer.",
      throughCurlew: { days: 7, by: "day", entries, total: figures },
    });
  });

  it("names hours and clients", () => {
    const of = (by: Grouping) =>
      toJson({ ...empty, through: through([rollUp({ startMs: today, client: "zed" })], by) });
    expect(of("hour")).toMatchObject({ throughCurlew: { entries: [{ hour: "2026-11-30 00:00" }] } });
    expect(of("client")).toMatchObject({ throughCurlew: { entries: [{ client: "zed" }] } });
  });
});
