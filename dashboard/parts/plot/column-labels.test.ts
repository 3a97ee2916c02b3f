import { expect, it } from "vitest";
import { thinOut, withLabel } from "./column-labels.js";

const every = (days: number) =>
  Array.from({ length: Math.ceil(90 / days) }, (_, at) => ({
    index: at * days,
    text: `${at * days}`,
    isStrong: false,
  }));

it("shows as many labels as there is room for", () => {
  const sets = [every(1), every(7), every(30)];
  expect(thinOut(sets, 60, 56)).toEqual(every(1));
  expect(thinOut(sets, 12, 56)).toEqual(every(7));
  expect(thinOut(sets, 3, 56)).toEqual(every(30));
  expect(thinOut(sets, 1, 56)).toEqual([]);
});

it("makes room for the one that must be there", () => {
  const today = { index: 89, text: "Today", isStrong: true };
  expect(withLabel(every(7), today, 12, 56).map(({ index }) => index)).toEqual([
    0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 89,
  ]);
  expect(withLabel(every(7), today, 10, 56).map(({ index }) => index)).not.toContain(84);
});
