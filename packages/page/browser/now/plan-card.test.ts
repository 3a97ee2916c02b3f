import { expect, it } from "vitest";
import { onDemandText, type Plan, poolsOf, poolText, resetText, spentText } from "./plan-card.js";

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

it("shows the pools that Cursor reports", () => {
  expect(poolsOf(plan).map((pool) => [pool.name, poolText(pool)])).toEqual([
    ["Cursor Models", "31.5%"],
    ["Other Models", "81%, almost used up"],
    ["Total", "46.2%"],
  ]);
  expect(poolsOf({ ...plan, auto_percent_used: null, percent_used: null }).map(({ name }) => name)).toEqual([
    "Other Models",
  ]);
});

it.each([
  [{ used_cents: 350, limit_cents: 5_000 }, "$3.50 of $50.00"],
  [{ used_cents: 0, limit_cents: "unlimited" as const }, "$0.00, no limit"],
  [{ used_cents: 350, limit_cents: null }, "$3.50"],
  [null, null],
])("shows on-demand spending %j as %s", (on_demand, text) => {
  expect(onDemandText({ ...plan, on_demand })).toBe(text);
});

it("shows spending as far as it is known", () => {
  expect(spentText(plan)).toBe("$11.82 of $20.00");
  expect(spentText({ ...plan, included_cents: null })).toBe("$11.82");
  expect(spentText({ ...plan, spent_cents: null })).toBeNull();
});

it("shows when it resets", () => {
  expect(resetText(plan, NOON)).toBe("4 Dec, in 18 days");
  expect(resetText(plan, Date.parse("2026-12-04T10:00:00.000Z"))).toBe("4 Dec, within a day");
  expect(resetText(plan, Date.parse("2026-12-05T10:00:00.000Z"))).toBe("4 Dec");
  expect(resetText({ ...plan, resets: null }, NOON)).toBeNull();
});
