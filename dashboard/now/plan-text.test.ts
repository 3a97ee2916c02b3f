import { describe, expect, it } from "vitest";
import { onDemandText, type Plan, planTrouble, poolsOf, poolText, resetText, spentText } from "./plan-text.js";

const plan: Plan = {
  plan: "Pro",
  price: "$20/mo",
  period_start: null,
  resets: "2026-12-04T12:00:00.000Z",
  percent_used: 46.2,
  auto_percent_used: 31.5,
  api_percent_used: 81,
  spent_cents: 1_182,
  included_cents: 2_000,
  on_demand: null,
};
const NOON = Date.parse("2026-11-16T12:00:00.000Z");

it("shows the pools of which Cursor says something", () => {
  expect(poolsOf(plan).map((pool) => [pool.name, poolText(pool)])).toEqual([
    ["Cursor Models", "31.5%"],
    ["Other Models", "81%, nearly all"],
    ["Total", "46.2%"],
  ]);
  expect(poolsOf({ ...plan, auto_percent_used: null, percent_used: null }).map(({ name }) => name)).toEqual([
    "Other Models",
  ]);
});

it.each([
  [{ used_cents: 350, limit_cents: 5_000 }, "$3.50 of $50.00"],
  [{ used_cents: 0, limit_cents: "unlimited" as const }, "$0.00, without a limit"],
  [{ used_cents: 350, limit_cents: null }, "$3.50"],
  [null, null],
])("writes on-demand spending %j as %s", (on_demand, text) => {
  expect(onDemandText({ ...plan, on_demand })).toBe(text);
});

it("says what is spent as far as it is known", () => {
  expect(spentText(plan)).toBe("$11.82 of $20.00");
  expect(spentText({ ...plan, included_cents: null })).toBe("$11.82");
  expect(spentText({ ...plan, spent_cents: null })).toBeNull();
});

it("says when it resets", () => {
  expect(resetText(plan, NOON)).toBe("4 Dec, in 18 days");
  expect(resetText(plan, Date.parse("2026-12-04T10:00:00.000Z"))).toBe("4 Dec, within a day");
  expect(resetText(plan, Date.parse("2026-12-05T10:00:00.000Z"))).toBe("4 Dec");
  expect(resetText({ ...plan, resets: null }, NOON)).toBeNull();
});

describe("a plan that is used up", () => {
  const onDemand = { used_cents: 0, limit_cents: 5_000 };

  it("is no trouble before it is", () => {
    expect(planTrouble(plan)).toBeNull();
    expect(planTrouble({ ...plan, auto_percent_used: null, api_percent_used: null, percent_used: null })).toBeNull();
  });

  it("leaves the other pool, and says which models that are", () => {
    expect(planTrouble({ ...plan, api_percent_used: 100 })).toMatchObject({
      what: "Other Models of your plan are used up until 4 Dec",
      isFatal: false,
      advice: "Until then, use Auto or Composer.",
    });
    expect(planTrouble({ ...plan, auto_percent_used: 104 })?.advice).toBe("Until then, use one of Other Models.");
  });

  it("stops requests only if nothing can be spent on demand", () => {
    const used = { ...plan, percent_used: 100 };
    expect(planTrouble(used)).toMatchObject({ what: "your plan is used up until 4 Dec", isFatal: true });
    expect(planTrouble({ ...used, on_demand: onDemand })).toMatchObject({ isFatal: false });
    expect(planTrouble({ ...used, on_demand: { used_cents: 5_000, limit_cents: 5_000 } })?.isFatal).toBe(true);
  });
});
