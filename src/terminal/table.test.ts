import { describe, expect, it } from "vitest";
import { fittedRows, table } from "./table.js";

const rows = [
  ["ID", "NAME", "ALIASES", "PARAMETERS"],
  ["opus", "Claude Opus", "o, oo", "effort low|high"],
  ["auto", "Auto", "", ""],
];
const width = (fitted: readonly (readonly string[])[]) => {
  const [head = [], ...rest] = fitted;
  const lines = table(head, rest, { dim: (text) => text })
    .trimEnd()
    .split("\n");
  return Math.max(...lines.map(({ length }) => length));
};

describe("a table on a narrow terminal", () => {
  it("stays as it is where it fits", () => expect(fittedRows(rows, width(rows), [3, 2])).toBe(rows));

  it.each([
    [41, ["ID", "NAME", "ALIASES"]],
    [25, ["ID", "NAME"]],
    [17, ["ID", "NAME"]],
  ])("loses columns until it fits into %d", (columns, head) => {
    const fitted = fittedRows(rows, columns, [3, 2]);
    expect(fitted[0]).toEqual(head);
    expect(width(fitted)).toBeLessThanOrEqual(columns);
  });

  it("is cut at its right end where no column can be spared", () => {
    const fitted = fittedRows(rows, 12, [3, 2]);
    expect(fitted[1]).toEqual(["opus", "Claud…"]);
    expect(width(fitted)).toBe(12);
  });
});
