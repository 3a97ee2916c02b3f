import { describe, expect, it } from "vitest";
import { readCursorPlan, readSpentCents } from "./cursor-plan.js";

const nothing = {
  plan: null,
  price: null,
  periodStart: null,
  resets: null,
  percentUsed: null,
  autoPercentUsed: null,
  apiPercentUsed: null,
  spentCents: null,
  includedCents: null,
  onDemand: null,
};

describe("what Cursor says of a plan", () => {
  it.each([[undefined], [null], ["text"], [[]], [{}], [{ planUsage: null, spendLimitUsage: 7 }]])(
    "may be %j",
    (said) => {
      expect(readCursorPlan(said, said)).toEqual(nothing);
    },
  );

  it("takes percentages as they are, and not as the quotient of what was spent", () => {
    const usage = { planUsage: { totalSpend: 1_000, limit: 2_000, totalPercentUsed: 31.5, autoPercentUsed: 112 } };
    expect(readCursorPlan(usage, {})).toMatchObject({
      percentUsed: 31.5,
      autoPercentUsed: 112,
      spentCents: 1_000,
      includedCents: 2_000,
    });
  });

  it("may write numbers as text", () => {
    const usage = { billingCycleEnd: "1796083200000", planUsage: { totalPercentUsed: "31", limit: "2000" } };
    expect(readCursorPlan(usage, {})).toMatchObject({
      resets: "2026-12-01T00:00:00.000Z",
      percentUsed: 31,
      includedCents: 2_000,
    });
  });

  it("takes the end of the period from the plan where usage does not tell it", () => {
    expect(readCursorPlan({}, { planInfo: { planName: "Pro", billingCycleEnd: 1_796_083_200_000 } })).toEqual({
      ...nothing,
      plan: "Pro",
      resets: "2026-12-01T00:00:00.000Z",
    });
  });

  it.each([
    [
      { individualLimit: 5_000, individualUsed: 350 },
      { usedCents: 350, limitCents: 5_000 },
    ],
    [{ individualLimit: 2_147_483_647 }, { usedCents: 0, limitCents: "unlimited" }],
    [{ totalSpend: "12" }, { usedCents: 12, limitCents: null }],
    [{ limitType: "user" }, null],
  ])("tells what is paid beyond the plan: %j", (spendLimitUsage, onDemand) => {
    expect(readCursorPlan({ spendLimitUsage }, {}).onDemand).toEqual(onDemand);
  });

  it("may be the sum of what was spent alone", () => {
    expect(readSpentCents({ totalCostCents: 12.5 })).toBe(12.5);
    expect(readSpentCents({})).toBeNull();
  });
});
