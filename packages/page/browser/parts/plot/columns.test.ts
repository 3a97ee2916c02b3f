import { describe, expect, it } from "vitest";
import { barX, columnAt, divideWidth, stackValues, thinOut, withLabel } from "./columns.js";

describe("the bars of a plot", () => {
  it.each([
    [7, 290],
    [7, 1_080],
    [24, 290],
    [30, 290],
    [90, 290],
    [90, 270],
    [90, 1_080],
  ])("are visible and separate: %d in %d pixels", (count, widthPx) => {
    for (const pixelsPerPx of [1, 2, 3]) {
      const columns = divideWidth(widthPx, count, pixelsPerPx);
      expect(columns.barPx).toBeGreaterThanOrEqual(1);
      expect(columns.stepPx - columns.barPx).toBeGreaterThan(0);
      expect(barX(columns, 0)).toBeGreaterThanOrEqual(0);
      expect(barX(columns, count - 1) + columns.barPx).toBeLessThanOrEqual(widthPx);
    }
  });

  it("are aligned to screen pixels", () => {
    const columns = divideWidth(331, 90, 2);
    expect(columns).toEqual({ stepPx: 3.5, barPx: 2.5, startPx: 16 });
  });

  it("are found for any position in the plot", () => {
    const columns = divideWidth(290, 30, 1);
    for (let index = 0; index < 30; index++) {
      const x = barX(columns, index);
      expect([columnAt(columns, x, 30), columnAt(columns, x + columns.barPx, 30)]).toEqual([index, index]);
    }
    expect([columnAt(columns, -50, 30), columnAt(columns, 900, 30)]).toEqual([0, 29]);
    expect(columnAt(divideWidth(0, 30, 1), 5, 30)).toBe(0);
  });
});

describe("stacked values", () => {
  it("begin where the previous one ends, without zeros", () => {
    expect(stackValues([50, 0, 30, 20], 200, 100)).toEqual([
      { index: 0, fromPx: 0, toPx: 25 },
      { index: 2, fromPx: 25, toPx: 40 },
      { index: 3, fromPx: 40, toPx: 50 },
    ]);
  });

  it("are visible even next to much larger ones, but not if they are zero", () => {
    expect(stackValues([1, 2], 1_000_000, 100)).toEqual([{ index: 1, fromPx: 0, toPx: 1.5 }]);
    expect(stackValues([0, 0], 1_000_000, 100)).toEqual([]);
    expect(stackValues([0], 0, 100)).toEqual([]);
  });
});

const every = (days: number) =>
  Array.from({ length: Math.ceil(90 / days) }, (_, at) => ({
    index: at * days,
    text: `${at * days}`,
    isStrong: false,
  }));

it("shows as many labels as fit", () => {
  const sets = [every(1), every(7), every(30)];
  expect(thinOut(sets, 60, 56)).toEqual(every(1));
  expect(thinOut(sets, 12, 56)).toEqual(every(7));
  expect(thinOut(sets, 3, 56)).toEqual(every(30));
  expect(thinOut(sets, 1, 56)).toEqual([]);
});

it("makes room for a required label", () => {
  const today = { index: 89, text: "Today", isStrong: true };
  expect(withLabel(every(7), today, 12, 56).map(({ index }) => index)).toEqual([
    0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 89,
  ]);
  expect(withLabel(every(7), today, 10, 56).map(({ index }) => index)).not.toContain(84);
});
