import { describe, expect, it } from "vitest";
import { expressionsIn } from "./find-expressions.js";
import { judgeExpressions, whyNotLinear } from "./judge.js";

const overlap = expect.stringContaining("read the same text");
const doubled = "one loop reads the same text in two ways";

describe("an expression", () => {
  it.each([
    [/^\s*charset\s*=\s*"?([^"]*?)"?\s*$/, overlap],
    [/_+$/, overlap],
    [/\s+$/, overlap],
    [/(?<=.)\/+$/, overlap],
    [/\b(crsr_|key_)[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]*/g, overlap],
    [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, overlap],
    [/^```\w*\s*\n(.*?)\n?```$/s, overlap],
    [/^\s*\{.*$/gm, overlap],
    [/<a>[\s\S]*?<\/a>/, overlap],
    [/^bearer +(.*)$/i, overlap],
    [/(?:a*b)?/g, overlap],
    [/[a-z]+K/iu, overlap],
    [/^(a+)+$/, doubled],
    [/^(a*)*$/, doubled],
    [/^(?:a|aa)+$/, doubled],
    [/^(?:\w|\d)*;/, doubled],
    [/(?:a?){30}a{30}/, "its counted parts combine in too many ways"],
    [/^gpt(?!.*mini)/, "a look-around may look at any amount of text"],
    [/(a+)-\1/, "it has a Backreference"],
  ])("that may take more than linear time is refused: %s", (expression, why) => {
    expect(whyNotLinear(expression.source, expression.flags)).toEqual(why);
  });

  it.each([
    /\s+/g,
    /^[a-z]+(?:-[a-z]+)*$/,
    /\bcrsr_[\w-]+/g,
    /[\w.-]{6,}/g,
    /^[ \t]*state = (.+)$/m,
    /^\s*\S*\s*|\S+\s*/g,
    /!\[[0-?]*[ -/]*[@-~]/g,
    /^gpt(?:(?!mini|nano).)*$/,
    /\b(?:on|at) ([^!;()]+)/i,
    /^https?:\/\/[^/]+\/v1$/,
  ])("that is linear is taken: %s", (expression) => {
    expect(whyNotLinear(expression.source, expression.flags)).toBeUndefined();
  });
});

describe("the check", () => {
  const text = 'const a = x.replace(/_+$/, ""); // /no+$/\nconst b: RegExp = new RegExp(`^a`);\nconst c = "/_+$/";\n';
  const expressions = expressionsIn(text).map((each) => ({ file: "a.ts", ...each }));

  it("finds expressions by the parser, written out or made at run time", () => {
    expect(expressions.map(({ line, code }) => [line, code])).toEqual([
      [1, "/_+$/"],
      [2, "new RegExp(`^a`)"],
    ]);
  });

  it("refuses both, with file and line", () => {
    expect(judgeExpressions(expressions, [])).toEqual([
      expect.stringContaining("a.ts:1 /_+$/"),
      expect.stringContaining("a.ts:2 new RegExp(`^a`)\n  it is made at run time"),
    ]);
  });

  it("allows what the list allows with a reason, and refuses entries that are not needed", () => {
    const entry = (code, reason) => ({ file: "a.ts", code, reason });
    const both = [entry("/_+$/", "Cut to 20 characters."), entry("new RegExp(", "One letter.")];
    expect(judgeExpressions(expressions, both)).toEqual([]);
    expect(judgeExpressions(expressions, [both[0], entry("new RegExp(", " ")])).toHaveLength(1);
    expect(judgeExpressions(expressions.slice(0, 1), both)).toEqual([expect.stringContaining("without need")]);
  });
});
