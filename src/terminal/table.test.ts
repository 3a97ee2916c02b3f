import { describe, expect, it } from "vitest";
import { columnsOf, fittedRows, folded, table } from "./table.js";

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

const terminal = { isTTY: true, columns: 40 };

describe("a long text", () => {
  const text = "ok      settings        No settings file, so every setting has its default.\n";

  it("is broken between words on a terminal, and what follows is indented", () => {
    expect(folded(terminal, text, 8).split("\n")).toEqual([
      "ok      settings        No settings",
      "        file, so every setting has its",
      "        default.",
      "",
    ]);
  });

  it("stays as it is in a pipe, and on a terminal that is too narrow or does not say its width", () => {
    for (const stream of [{ columns: 40 }, { isTTY: true, columns: 20 }, { isTTY: true }])
      expect(folded(stream, text, 8)).toBe(text);
  });

  it("is measured without its colours", () => {
    const red = `\u001b[31m${"a".repeat(36)}\u001b[39m bcd`;
    expect(folded(terminal, red)).toBe(red);
    expect(folded(terminal, `${red}e`)).toBe(`\u001b[31m${"a".repeat(36)}\u001b[39m\nbcde`);
  });
});

it("a word longer than the terminal is not cut, and blanks at the beginning of a line stay", () => {
  const path = `/${"folder/".repeat(8)}`;
  expect(folded(terminal, `  ${path}`)).toBe(`  ${path}`);
  expect(folded(terminal, `  file ${path} (not created)`)).toBe(`  file\n${path}\n(not created)`);
});

it("a pipe has no end of the line", () => {
  expect(columnsOf({})).toBe(Number.POSITIVE_INFINITY);
  expect(columnsOf(terminal)).toBe(40);
});
