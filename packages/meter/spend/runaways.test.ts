import { expect, it } from "vitest";
import { RecentRates } from "./runaways.js";

it("keeps a bounded number of names, evicting the oldest without open requests", () => {
  const rates = new RecentRates();
  const busy = rates.of("busy", 0);
  busy.open++;
  for (let count = 0; count < 10_000; count++) rates.of(`program/${count}`, 0).inMinute++;
  expect(rates.size).toBe(2_000);
  expect(rates.of("busy", 0)).toBe(busy);
  expect(rates.of("program/9999", 0).inMinute).toBe(1);
  expect(rates.of("program/0", 0).inMinute).toBe(0);
});

it("never evicts a name with open requests", () => {
  const rates = new RecentRates();
  const busy = Array.from({ length: 3_000 }, (_, count) => {
    const rate = rates.of(`program/${count}`, 0);
    rate.open++;
    return rate;
  });
  expect(busy.map((_, count) => rates.of(`program/${count}`, 0))).toEqual(busy);
  for (const rate of busy) rate.open--;
  for (let count = 0; count < 3_000; count++) rates.of(`other/${count}`, 0);
  expect(rates.size).toBe(3_000);
});

it("starts a new minute after a minute, and when the clock is set back", () => {
  const rates = new RecentRates();
  rates.of("one", 100_000).inMinute = 5;
  expect(rates.of("one", 159_999).inMinute).toBe(5);
  expect(rates.of("one", 160_000).inMinute).toBe(0);
  rates.of("one", 160_000).inMinute = 7;
  expect(rates.of("one", 100_000).inMinute).toBe(0);
});
