import { describe, expect, it } from "vitest";
import { columnsOf, folded, table } from "./table.js";

const rows = [
  ["opus", "Claude Opus", "o, oo", "effort low|high"],
  ["auto", "Auto", "", ""],
];
const shown = (width: number) => {
  const text = table(["ID", "NAME", "ALIASES", "PARAMETERS"], rows, { dim: (same) => same, width, spare: [3, 2] });
  return text.trimEnd().split("\n");
};
const widest = (lines: readonly string[]) => Math.max(...lines.map(({ length }) => length));

describe("a table on a narrow terminal", () => {
  it("is unchanged if it fits", () => {
    const all = shown(Number.POSITIVE_INFINITY);
    expect(shown(widest(all))).toEqual(all);
    expect(shown(widest(all) - 1)).not.toEqual(all);
  });

  it.each([
    [41, ["ID", "NAME", "ALIASES"]],
    [25, ["ID", "NAME"]],
    [17, ["ID", "NAME"]],
  ])("loses columns until it fits into %d", (columns, head) => {
    const lines = shown(columns);
    expect(lines[0]?.split(/ +/)).toEqual(head);
    expect(widest(lines)).toBeLessThanOrEqual(columns);
  });

  it("is cut at its right end if no column can be spared", () => {
    expect(shown(12)[1]).toBe("opus  Claud…");
    expect(widest(shown(12))).toBe(12);
  });
});

const terminal = { isTTY: true, columns: 40 };

describe("a long text", () => {
  const text = "ok      settings        No settings file, so every setting has its default.\n";

  it("is wrapped between words on a terminal, with further lines indented", () => {
    expect(folded(terminal, text, 8).split("\n")).toEqual([
      "ok      settings        No settings",
      "        file, so every setting has its",
      "        default.",
      "",
    ]);
  });

  it("is unchanged in a pipe, and on a terminal that is too narrow or does not report its width", () => {
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

it("a pipe has unlimited width", () => {
  expect(columnsOf({})).toBe(Number.POSITIVE_INFINITY);
  expect(columnsOf(terminal)).toBe(40);
});
