import { describe, expect, it } from "vitest";
import { NAME_PATTERN, NamePatterns } from "./name-patterns.js";

const fits = (name: string, ...patterns: string[]) => new NamePatterns(patterns).fits(name);

describe("patterns of names", () => {
  it.each([
    ["gpt-5", "gpt-5{,.1}{,-mini}", true],
    ["gpt-5.1-mini", "gpt-5{,.1}{,-mini}", true],
    ["gpt-5.2", "gpt-5{,.1}{,-mini}", false],
    ["gpt-5-mini.1", "gpt-5{,.1}{,-mini}", false],
    ["claude-fable-5", "*fable*", true],
    ["fable", "*fable*", true],
    ["claude-3-opus-latest", "claude-{,*-}{opus,haiku}{,-*}", true],
    ["claude-opusx", "claude-{,*-}{opus,haiku}{,-*}", false],
    ["anything", "", false],
  ])("%s by %s: %s", (name, pattern, expected) => expect(fits(name, pattern)).toBe(expected));

  it("fit when one of them does", () => expect(fits("b", "a", "b")).toBe(true));

  it.each(["{a,{b}}", "{a", "a}", "A", "a b", "a|b", "^a$", ""])("are not written as %j", (pattern) => {
    expect(NAME_PATTERN.test(pattern)).toBe(false);
  });
});
