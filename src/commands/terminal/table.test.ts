import { describe, expect, it } from "vitest";
import { fittingColumns } from "./table.js";

describe("the columns of a table that fit", () => {
  const rows = [
    ["ID", "NAME", "MORE"],
    ["12345", "1234567", "123"],
  ];

  it.each([
    [20, 3],
    [19, 2],
    [14, 2],
    [13, 1],
    [2, 1],
  ])("into %i characters are %i", (width, count) => {
    expect(fittingColumns(rows, width)).toBe(count);
  });
});
