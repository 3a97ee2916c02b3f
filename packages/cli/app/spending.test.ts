import { expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../testing/ledger/ledger-of.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import { usageSource } from "./spending.js";

it("aggregates usage at most once a second per query", async () => {
  const clock = new ManualClock(new Date(2026, 10, 16, 12).getTime());
  const rows = [rollUp({ startMs: new Date(2026, 10, 16).getTime(), requests: 1 })];
  const ledger = ledgerOf({ day: rows });
  const calls = { server: "", credentials: undefined } as never;
  const source = usageSource({ ledger, settings: { prices: {}, conduct: "usual" }, calls, clock });
  const requests = async (days: number) => (await source.report({ by: "day", days })).total.requests;
  expect(await Promise.all([requests(1), requests(1)])).toEqual([1, 1]);
  rows.push(rollUp({ startMs: new Date(2026, 10, 16, 1).getTime(), requests: 1 }));
  expect([await requests(1), await requests(2)]).toEqual([1, 2]);
  clock.advance(1_000);
  expect(await requests(1)).toBe(2);
});
