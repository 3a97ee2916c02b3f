import { describe, expect, it } from "vitest";
import { plain, styledRows, widthOf } from "./styled-rows.js";

const styled = (codes: string) => `\u001B[${codes}m`;

describe("a row of a captured screen", () => {
  it.each([
    ["31", { color: 1 }],
    ["92", { color: 10 }],
    ["44", { background: 4 }],
    ["103", { background: 11 }],
    ["38;5;208", { color: 208 }],
    ["48;5;17", { background: 17 }],
    ["38;2;1;22;255", { color: [1, 22, 255] }],
    ["48:2:1:22:255", { background: [1, 22, 255] }],
    ["1;31", { isBold: true, color: 1 }],
    ["38;5;9;2;3;4;7", { color: 9, isDim: true, isItalic: true, isUnderlined: true, isInverse: true }],
    ["5", {}],
  ])("%s is a style", (codes, style) => {
    expect(styledRows(`${styled(codes)}x`)).toEqual([[{ column: 0, text: "x", style: { ...plain, ...style } }]]);
  });

  it.each([
    ["1;2", "22"],
    ["3", "23"],
    ["4", "24"],
    ["7", "27"],
    ["38;2;9;9;9", "39"],
    ["41", "49"],
    ["1;31;47", "0"],
    ["1;31;47", ""],
  ])("%s is ended by %s", (codes, end) => {
    expect(styledRows(`${styled(codes)}${styled(end)}x`)[0]?.[0]?.style).toEqual(plain);
  });

  it("begins where the one before it ends, and with its style", () => {
    const [first, second] = styledRows(`a ${styled("1")}bold\nand on${styled("0")}.`);
    expect(first?.map(({ column, text }) => [column, text])).toEqual([
      [0, "a "],
      [2, "bold"],
    ]);
    expect(second?.map(({ text, style }) => [text, style.isBold])).toEqual([
      ["and on", true],
      [".", false],
    ]);
  });
});

it("counts columns, not characters", () => {
  expect(["abc", "│◇", "日本", "e\u0301"].map(widthOf)).toEqual([3, 2, 4, 1]);
});
