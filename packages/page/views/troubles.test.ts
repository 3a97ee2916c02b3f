import type { CursorPlan } from "@curlew/gateway/backends/cursor/plan.js";
import { describe, expect, it } from "vitest";
import { planTrouble } from "./troubles.js";

const plan: CursorPlan = {
  plan: "Pro",
  price: "$20/mo",
  periodStart: null,
  resets: "2026-12-04T12:00:00.000Z",
  percentUsed: 46.2,
  autoPercentUsed: 31.5,
  apiPercentUsed: 81,
  spentCents: 1_182,
  includedCents: 2_000,
  onDemand: null,
  autoModels: [],
};

describe("a plan that is used up", () => {
  it("is reported only when it is", () => {
    expect(planTrouble(plan)).toBeNull();
    expect(planTrouble({ ...plan, autoPercentUsed: null, apiPercentUsed: null, percentUsed: null })).toBeNull();
  });

  it("names the models of the other pool", () => {
    expect(planTrouble({ ...plan, apiPercentUsed: 100 })).toMatchObject({
      what: "Other Models of your plan are used up until 4 Dec",
      isFatal: false,
      advice: "Until then, use Auto or Composer.",
    });
    expect(planTrouble({ ...plan, autoPercentUsed: 104 })?.advice).toBe("Until then, use one of Other Models.");
  });

  it("stops requests only if nothing can be spent on demand", () => {
    const used = { ...plan, percentUsed: 100 };
    expect(planTrouble(used)).toMatchObject({ what: "your plan is used up until 4 Dec", isFatal: true });
    expect(planTrouble({ ...used, onDemand: { usedCents: 0, limitCents: 5_000 } })?.isFatal).toBe(false);
    expect(planTrouble({ ...used, onDemand: { usedCents: 5_000, limitCents: 5_000 } })?.isFatal).toBe(true);
  });
});
