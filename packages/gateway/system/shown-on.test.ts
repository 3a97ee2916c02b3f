import { describe, expect, it } from "vitest";
import { shownOn } from "./shown-on.js";

const terminal = { isTTY: true };
const pipe = {};

describe("foreign text", () => {
  it.each([
    ["an escape sequence", "a\u001B[2Jb", "a\u241B[2Jb"],
    ["a title of the window", "\u001B]0;pwned\u0007", "\u241B]0;pwned\u2407"],
    ["one byte for an escape sequence", "\u009B2J", "\uFFFD2J"],
    ["a line that would be overwritten", "safe\rgone", "safe\u240Dgone"],
    ["a character that would be deleted", "rm\u0008\u007F", "rm\u2408\u2421"],
    ["zero", "\u0000", "\u2400"],
    ["line breaks and tabs", "a\n\tb\r\nc", "a\n\tb\nc"],
    ["words of every language", "Brachvögel 大杓鷸 🐦‍⬛ שלום", "Brachvögel 大杓鷸 🐦‍⬛ שלום"],
  ])("has no power over a terminal: %s", (_, text, shown) => {
    expect(shownOn(terminal, text)).toBe(shown);
    expect(shownOn(pipe, text)).toBe(text);
  });

  it("is found at any depth, and other values stay the same", () => {
    const date = new Date(0);
    const value = { list: [{ "na\u001Bme": "te\u001Bxt" }], count: 1, none: null, missing: undefined, date };
    expect(shownOn(terminal, value)).toEqual({
      list: [{ "na\u241Bme": "te\u241Bxt" }],
      count: 1,
      none: null,
      missing: undefined,
      date,
    });
    expect(shownOn(pipe, value)).toBe(value);
  });
});
