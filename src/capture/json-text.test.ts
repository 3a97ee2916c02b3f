import { expect, it } from "vitest";
import { segmentsOfJson } from "./json-text.js";

function written(text: string): string {
  return segmentsOfJson(text)
    .map((segment) => (segment.isShown ? segment.text : "x".repeat(segment.text.length)))
    .join("");
}

it("shows the syntax of JSON and none of its texts, numbers and words", () => {
  const text = String.raw`{"path":"/home/ada \"x\" \\","n":[12,true,null]}`;
  expect(written(text)).toBe('{"xxxx":"xxxxxxxxxxxxxxxxxx","x":[xx,xxxx,xxxx]}');
});

it.each([
  ["a part that begins inside of a text", 'of Ada: 41","to":"Bob', 'xx xxx: xx"x"xx"x"xxx'],
  ["digits", '{"card":4111111111111111,"pin":-12.5e3}', '{"xxxx":xxxxxxxxxxxxxxxx,"xxx":xxxxxxx}'],
])("shows no letter and no digit of %s", (_, text, shown) => {
  expect(written(text)).toBe(shown);
});

it("gives beginnings of the same for beginnings", () => {
  const whole = '{"word":"a \\u00e9 \\" b","n":1}';
  for (let end = 0; end <= whole.length; end++)
    expect(written(whole).startsWith(written(whole.slice(0, end)))).toBe(true);
});
