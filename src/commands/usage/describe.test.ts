import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { readCursorPlan } from "../plan/cursor-plan.js";
import { noUsage } from "./counts.js";
import { describeUsage, type UsageReport } from "./describe.js";

const nowMs = Date.UTC(2026, 10, 30);
const plain = { colors: pc.createColors(false), drawsBars: false, nowMs };
const empty: UsageReport = { account: null, problem: "Nobody knows.", days: 7, through: [], total: noUsage };

function account(planUsage: object, more: object = {}): UsageReport {
  return { ...empty, problem: null, account: readCursorPlan({ planUsage, ...more }, {}) };
}

describe("usage in words", () => {
  it("draws bars where there are eyes for them, as long as what is used", () => {
    const drawn = describeUsage(account({ totalPercentUsed: 50 }), { ...plain, drawsBars: true });
    expect(drawn).toContain(`used       50%    ${"█".repeat(12)}${"░".repeat(12)}\n`);
    expect(describeUsage(account({ totalPercentUsed: 50 }), plain)).toContain("used       50%\n");
  });

  it("calls the pools what Cursor's dashboard calls them", () => {
    const text = describeUsage(account({ totalPercentUsed: 50, autoPercentUsed: 10, apiPercentUsed: 90 }), plain);
    expect(text).toContain("used            50%\n  Cursor Models 10%\n  Other Models  90%\n");
  });

  it("keeps a bar within its frame when more than everything is used", () => {
    const drawn = describeUsage(account({ totalPercentUsed: 140.25 }), { ...plain, drawsBars: true });
    expect(drawn).toContain(`used       140.3% ${"█".repeat(24)}\n`);
  });

  it("warns by colour when little is left", () => {
    const colors = pc.createColors(true);
    const drawn = (percent: number) =>
      describeUsage(account({ totalPercentUsed: percent }), { ...plain, colors, drawsBars: true });
    expect(drawn(100)).toContain(colors.red("█".repeat(24)));
    expect(drawn(85)).toContain(colors.yellow("█".repeat(20)));
    expect(drawn(10)).toContain(colors.green("██"));
  });

  it("says when it starts again, in a day or in the past", () => {
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

  it("says why nothing is known of the account", () => {
    expect(describeUsage(empty, plain)).toBe(
      "account    Nobody knows.\n\nNothing went through Curlew in the last 7 days.\n",
    );
    expect(describeUsage({ ...empty, days: 1 }, plain)).toContain("Nothing went through Curlew today.\n");
  });

  it("adds up, and says which figures are guessed", () => {
    const counts = {
      ...noUsage,
      turns: 2,
      estimatedTurns: 1,
      inputTokens: 12_000,
      cacheReadTokens: 9_000,
      coldReplies: 2,
    };
    const through = [{ day: "2026-11-30", model: "auto", counts }];
    const text = describeUsage({ ...empty, through, total: counts }, plain);
    expect(text).toMatch(/^2026-11-30 +auto +2 +12,000 +75% +0 +0 +0 of 2$/m);
    expect(text).toMatch(/^total +2 +12,000 /m);
    expect(text).toContain("1 turn had no usage data from Cursor; its numbers are estimates.");
  });
});
