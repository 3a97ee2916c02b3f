import { expect, it } from "vitest";
import peaks from "../day/peaks.json" with { type: "json" };
import { defaultLimits } from "./limits-table.js";

it.each(defaultLimits(peaks))("$name by default is at least ten times the peak of a day", ({ peak, limit }) => {
  expect(peak).toBeGreaterThan(0);
  expect(limit).toBeGreaterThanOrEqual(10 * peak);
});

it("a client may have at least 32 requests open", () => {
  expect(defaultLimits(peaks).find(({ name }) => name === "client.concurrent")?.limit).toBeGreaterThanOrEqual(32);
});
