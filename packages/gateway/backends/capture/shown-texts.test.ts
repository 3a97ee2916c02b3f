import { describe, expect, it } from "vitest";
import { ShownTexts, segmentsOfJson } from "./shown-texts.js";

const shown = new ShownTexts({ texts: ["gpt-5.5"], prompts: ["Say the word curlew, please."] });

function written(text: string): string {
  return shown
    .segments(text)
    .map((segment) => (segment.isShown ? segment.text : `<${segment.text.length}>`))
    .join("");
}

describe("shown texts", () => {
  it("show their words wherever they stand, in any case, and what stands between words", () => {
    expect(written("Say the word curlew, please.")).toBe("Say the word curlew, please.");
    expect(written('The bird said "Curlew"; ok?')).toBe('The <4> <4> "Curlew"; <2>?');
  });

  it("show nothing of a text without any of their words", () => {
    expect(written("bob@example.com is at home")).toBe("<26>");
    expect(written("")).toBe("");
  });

  it("show a listed text only where it stands alone", () => {
    expect(shown.isShown("gpt-5.5")).toBe(true);
    expect(written("gpt-5.5 is new")).toBe("<14>");
  });

  it("find words that reach over several texts", () => {
    const rows = shown.segmentsOfAll(["the cur", "", "lew, a", "ss"]);
    expect(rows).toEqual([
      [{ text: "the cur", isShown: true }],
      [],
      [
        { text: "lew, ", isShown: true },
        { text: "a", isShown: false },
      ],
      [{ text: "ss", isShown: false }],
    ]);
  });
});

function filledIn(text: string): string {
  return segmentsOfJson(text)
    .map((segment) => (segment.isShown ? segment.text : "x".repeat(segment.text.length)))
    .join("");
}

it("shows the syntax of JSON and none of its texts, numbers and words", () => {
  const text = String.raw`{"path":"/home/ada \"x\" \\","n":[12,true,null]}`;
  expect(filledIn(text)).toBe('{"xxxx":"xxxxxxxxxxxxxxxxxx","x":[xx,xxxx,xxxx]}');
});

it.each([
  ["a part that begins inside of a text", 'of Ada: 41","to":"Bob', 'xx xxx: xx"x"xx"x"xxx'],
  ["digits", '{"card":4111111111111111,"pin":-12.5e3}', '{"xxxx":xxxxxxxxxxxxxxxx,"xxx":xxxxxxx}'],
])("shows no letter and no digit of %s", (_, text, shown) => {
  expect(filledIn(text)).toBe(shown);
});

it("gives a prefix of the result for a prefix of the text", () => {
  const whole = '{"word":"a \\u00e9 \\" b","n":1}';
  for (let end = 0; end <= whole.length; end++)
    expect(filledIn(whole).startsWith(filledIn(whole.slice(0, end)))).toBe(true);
});
